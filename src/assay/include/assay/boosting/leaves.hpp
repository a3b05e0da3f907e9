// A grown tree as flat arrays, and the values of its leaves.
//
// The values come from sums of whole numbers alone: gradients and curvatures in units, and what rounding to units left
// over in parts of a unit. So they depend neither on the order of the rows nor on how these are cut into blocks.
#pragma once
#include "assay/boosting/binned.hpp"
#include "assay/boosting/losses.hpp"
#include "assay/boosting/search.hpp"

namespace assay::boosting {

constexpr double ENOUGH = 0.1;  // a step is kept if the loss falls by this share of step times gradient

struct Leaf {
    int32_t node, from;      // its place in the tree, and its number among the nodes
    int64_t start, stop;     // its rows
    double g, h;             // sums of gradients and curvatures
};

// Nodes in preorder: column (-1: leaf), threshold or value, right child, whether missing values go left, rows, gain;
// for nominal tests the place and the words of the set of categories that go left.
struct Layout {
    std::vector<int32_t> column, right, rows, set_start{0};
    std::vector<double> number, gain;
    std::vector<uint8_t> missing_left;
    std::vector<uint32_t> sets;
    std::vector<Leaf> leaves;
    int32_t depth = 0;
};

inline void describe(const Node &node, const std::vector<Node> &nodes, const Binned &binned, const uint8_t *missing,
                     Layout &out) {
    const int64_t j = node.split.column;
    out.column.push_back(int32_t(j));
    out.gain.push_back(node.split.gain);
    const bool larger_left = nodes[node.left].sums.count > nodes[node.right].sums.count;
    out.missing_left.push_back(missing[j] ? node.split.missing_left : larger_left);
    if (!node.split.nominal) return out.number.push_back(binned.thresholds.data()[j * BINS + node.split.bin]);
    out.number.push_back(0.0);
    const int64_t first = binned.category_start.data()[j], last = binned.category_start.data()[j + 1];
    const size_t base = out.sets.size();
    out.sets.resize(base + (last - first + 31) / 32, 0);
    for (int64_t c = 0; c < last - first; ++c) {
        const int32_t b = binned.bin_of.data()[first + c];
        if (node.left_bins[b / 32] >> (b % 32) & 1) out.sets[base + c / 32] |= uint32_t(1) << (c % 32);
    }
}

inline Layout lay_out(const std::vector<Node> &nodes, const Binned &binned, const uint8_t *missing, const Units &units,
                      double rate) {
    Layout out;
    for (const Node &node : nodes) out.depth = std::max(out.depth, node.depth);
    std::vector<std::pair<int32_t, int32_t>> todo{{0, -1}};  // node, and whose right child it is
    while (!todo.empty()) {
        const auto [k, parent] = todo.back();
        todo.pop_back();
        const Node &node = nodes[k];
        const int32_t at = int32_t(out.column.size());
        if (parent >= 0) out.right[parent] = at;
        out.rows.push_back(int32_t(node.sums.count));
        out.right.push_back(-1);
        if (node.left < 0) {
            const double h = units.wide ? double(node.sums.h) * units.h : double(node.sums.count);
            out.leaves.push_back({at, k, node.start, node.stop, double(node.sums.g) * units.g, h});
            out.column.push_back(-1), out.number.push_back(node.value * rate), out.missing_left.push_back(0),
                out.gain.push_back(0);
        } else {
            describe(node, nodes, binned, missing, out);
            todo.emplace_back(node.right, at);
            todo.emplace_back(node.left, -1);
        }
        out.set_start.push_back(int32_t(out.sets.size()));
    }
    return out;
}

// The Newton step of a leaf from the rows' own gradients: units are fine enough to choose splits, parts of them for
// this. It is rounded to 36 bits, beyond which there is nothing but the rounding of the rows: leaves that are equal but
// for that have equal values, and scores of classes that are equal stay so.
inline double settled(Leaf &leaf, const Sums &sums, const Parts &parts, const Units &units, double l2, double rate) {
    leaf.g = (double(sums.g) + double(parts.g) / PARTS) * units.g;
    leaf.h = (double(sums.h) + double(parts.h) / PARTS) * units.h;
    const double step = -leaf.g / (leaf.h + l2 + TINY) * rate;
    if (!std::isfinite(step)) return step;
    int exponent = 0;
    const double mantissa = std::frexp(step, &exponent);
    return std::ldexp(double(nearest(mantissa * 0x1p36)), exponent - 36);
}

// The step of a leaf must not be longer than the loss of its rows allows. A Newton step trusts the curvature where it
// stands; where that has vanished (all rows but few are sure, and those few are wrong) the step is too long by orders
// of magnitude. It is kept if the loss is bound to fall by enough, or (binomial, one of many) does so in truth.
inline bool surely_falls(int kind, const Leaf &leaf, double step) {
    return least_decrease(kind, leaf.g, leaf.h, step) >= -ENOUGH * leaf.g * step;
}

// In what unit to add up by how much the loss of each row falls: no row's falls by more than |step| times its weight.
inline double decrease_scale(double step, double heaviest, int count_bits) {
    int exponent = 0;
    std::frexp(heaviest * step, &exponent);
    return std::ldexp(1.0, std::max(-1000, std::min(1000, std::min(50, 62 - count_bits) - exponent)));
}

inline bool falls_enough(const Leaf &leaf, double step, int64_t decrease, double scale) {
    return double(decrease) / scale >= -ENOUGH * leaf.g * step;
}

}  // namespace assay::boosting
