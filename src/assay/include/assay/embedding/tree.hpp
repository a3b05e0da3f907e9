// A tree of cells over points of one to three axes (Barnes and Hut), cut along the Z-curve.
//
// The points of one leaf share a list: a cell that looks small from the nearest corner of the leaf's box
// (side < angle * distance) is one point of its mass at its centre of mass; else its children are asked, and of a leaf
// the points themselves are taken. Nodes stand in depth-first order, each with the place of the first node behind its
// subtree. Leaves are worked at in any order: each writes to its own points alone.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "assay/embedding/points.hpp"

namespace assay {

constexpr int64_t POINTS_IN_LEAF = 24;
constexpr int BITS = 20;  // levels of cells

template <int D>
struct Tree {
    struct Node {
        float centre[D], low[D], high[D], mass, side2;
        int64_t first, last, skip;
    };
    std::vector<Node> nodes;
    std::vector<int64_t> order, leaves;  // the points along the curve; the nodes that are leaves
    std::vector<float> points;           // (D, n) in this order
    int64_t n = 0;

    void build(const float *y, int64_t stride, int64_t count) {
        n = count;
        float low[D], width = 0;
        for (int a = 0; a < D; ++a) {
            const auto [least, most] = std::minmax_element(y + a * stride, y + a * stride + n);
            low[a] = *least, width = std::max(width, *most - *least);
        }
        const double scale = width > 0 ? double((int64_t(1) << BITS) - 1) / double(width) : 0.0;
        std::vector<std::pair<uint64_t, int64_t>> keyed(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) {
            uint64_t key = 0;
            uint64_t cell[D];
            for (int a = 0; a < D; ++a) cell[a] = uint64_t(double(y[a * stride + i] - low[a]) * scale);
            for (int bit = BITS - 1; bit >= 0; --bit)
                for (int a = 0; a < D; ++a) key = key << 1 | (cell[a] >> bit & 1);
            keyed[size_t(i)] = {key, i};
        }
        std::sort(keyed.begin(), keyed.end());
        order.resize(size_t(n)), points.resize(size_t(D * n));
        for (int64_t i = 0; i < n; ++i) {
            order[size_t(i)] = keyed[size_t(i)].second;
            for (int a = 0; a < D; ++a) points[size_t(a * n + i)] = y[a * stride + order[size_t(i)]];
        }
        nodes.clear(), leaves.clear();
        divide(keyed, 0, n, BITS - 1);
        gather();
    }

    void divide(const std::vector<std::pair<uint64_t, int64_t>> &keyed, int64_t first, int64_t last, int level) {
        const size_t here = nodes.size();
        nodes.push_back({});
        nodes[here].first = first, nodes[here].last = last;
        if (last - first <= POINTS_IN_LEAF || level < 0) {
            leaves.push_back(int64_t(here));
        } else {
            const int shift = level * D;
            for (int64_t start = first; start < last;) {
                const uint64_t cell = keyed[size_t(start)].first >> shift;
                const auto end = std::partition_point(keyed.begin() + start, keyed.begin() + last,
                                                      [&](const auto &one) { return one.first >> shift == cell; });
                divide(keyed, start, end - keyed.begin(), level - 1);
                start = end - keyed.begin();
            }
        }
        nodes[here].skip = int64_t(nodes.size());
    }

    void gather() {
        for (int64_t i = int64_t(nodes.size()) - 1; i >= 0; --i) {
            Node &node = nodes[size_t(i)];
            double centre[D] = {}, mass = 0;
            for (int a = 0; a < D; ++a) node.low[a] = INFINITY, node.high[a] = -INFINITY;
            if (node.skip == i + 1) {
                for (int a = 0; a < D; ++a)
                    for (int64_t k = node.first; k < node.last; ++k) {
                        const float at = points[size_t(a * n + k)];
                        centre[a] += double(at);
                        node.low[a] = std::min(node.low[a], at), node.high[a] = std::max(node.high[a], at);
                    }
                mass = double(node.last - node.first);
            } else {
                for (int64_t c = i + 1; c < node.skip; c = nodes[size_t(c)].skip) {
                    const Node &child = nodes[size_t(c)];
                    mass += double(child.mass);
                    for (int a = 0; a < D; ++a) {
                        centre[a] += double(child.mass) * double(child.centre[a]);
                        node.low[a] = std::min(node.low[a], child.low[a]);
                        node.high[a] = std::max(node.high[a], child.high[a]);
                    }
                }
            }
            float side = 0;
            for (int a = 0; a < D; ++a) {
                node.centre[a] = float(centre[a] / mass);
                side = std::max(side, node.high[a] - node.low[a]);
            }
            node.mass = float(mass), node.side2 = side * side;
        }
    }

    // The list of a leaf, appended to z[a] and mass; gives its length.
    int64_t list(const Node &leaf, float angle2, std::vector<float> *z, std::vector<float> &mass) const {
        for (int a = 0; a < D; ++a) z[a].clear();
        mass.clear();
        for (int64_t i = 0; i < int64_t(nodes.size());) {
            const Node &node = nodes[size_t(i)];
            float apart2 = 0;
            for (int a = 0; a < D; ++a) {
                const float gap = std::max({0.0f, leaf.low[a] - node.centre[a], node.centre[a] - leaf.high[a]});
                apart2 += gap * gap;
            }
            if (node.side2 < angle2 * apart2) {
                for (int a = 0; a < D; ++a) z[a].push_back(node.centre[a]);
                mass.push_back(node.mass);
                i = node.skip;
            } else if (node.skip == i + 1) {
                for (int a = 0; a < D; ++a)
                    z[a].insert(z[a].end(), points.begin() + a * n + node.first, points.begin() + a * n + node.last);
                mass.insert(mass.end(), size_t(node.last - node.first), 1.0f);
                i = node.skip;
            } else {
                ++i;
            }
        }
        return int64_t(mass.size());
    }
};

}  // namespace assay
