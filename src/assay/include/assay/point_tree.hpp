// Points in a tree of boxes: neighbours, neighbourhoods and spanning trees of few columns without all pairs.
//
// A node holds the points from..to of the reordered rows and the box around them; it is cut at the median of its widest
// column. Distances are Euclidean (p = 2), city-block (1) or the largest gap (0 stands for infinity), kept as `reduced`
// sums: squares for p = 2.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace assay {

class PointTree {
  public:
    static constexpr int64_t LEAF_POINTS = 12;
    struct Node {
        int64_t from, to, left, right;  // left < 0: a leaf
    };
    int64_t n, d;
    int p;
    std::vector<int64_t> order;  // place -> row
    std::vector<double> points;  // (n, d) by place
    std::vector<double> low, high;  // (nodes, d)
    std::vector<Node> nodes;

    PointTree(const double *X, int64_t n, int64_t d, int p) : n(n), d(d), p(p), order(n) {
        std::iota(order.begin(), order.end(), int64_t(0));
        nodes.reserve(2 * (n / LEAF_POINTS + 1) + 2);
        grow(X, 0, n);
        points.resize(n * d);
        for (int64_t i = 0; i < n; ++i) std::copy_n(X + order[i] * d, d, points.data() + i * d);
    }

    const double *at(int64_t place) const { return points.data() + place * d; }

    double between(const double *a, const double *b) const {
        double sum = 0.0;
        if (p == 2)
            for (int64_t j = 0; j < d; ++j) {
                const double gap = a[j] - b[j];
                sum += gap * gap;
            }
        else if (p == 1)
            for (int64_t j = 0; j < d; ++j) sum += std::fabs(a[j] - b[j]);
        else
            for (int64_t j = 0; j < d; ++j) sum = std::max(sum, std::fabs(a[j] - b[j]));
        return sum;
    }
    // The least distance of a point from a box, and the largest.
    double nearest(const double *x, int64_t node) const {
        const double *a = low.data() + node * d, *b = high.data() + node * d;
        double sum = 0.0;
        for (int64_t j = 0; j < d; ++j) {
            const double gap = std::max(0.0, std::max(a[j] - x[j], x[j] - b[j]));
            if (p == 2) sum += gap * gap;
            else if (p == 1) sum += gap;
            else sum = std::max(sum, gap);
        }
        return sum;
    }
    double farthest(const double *x, int64_t node) const {
        const double *a = low.data() + node * d, *b = high.data() + node * d;
        double sum = 0.0;
        for (int64_t j = 0; j < d; ++j) {
            const double gap = std::max(std::fabs(x[j] - a[j]), std::fabs(b[j] - x[j]));
            if (p == 2) sum += gap * gap;
            else if (p == 1) sum += gap;
            else sum = std::max(sum, gap);
        }
        return sum;
    }
    double finish(double reduced) const { return p == 2 ? std::sqrt(reduced) : reduced; }
    double begin(double distance) const { return p == 2 ? distance * distance : distance; }

    // The k smallest reduced distances from x, itself included, in heap[0..k), the largest first; heap is sorted at the
    // end if `sorted`.
    void smallest(const double *x, int64_t k, double *heap) const {
        std::fill_n(heap, k, std::numeric_limits<double>::infinity());
        descend(0, nearest(x, 0), x, k, heap);
    }

  private:
    int64_t grow(const double *X, int64_t from, int64_t to) {
        const int64_t node = int64_t(nodes.size());
        nodes.push_back({from, to, -1, -1});
        low.resize((node + 1) * d, std::numeric_limits<double>::infinity());
        high.resize((node + 1) * d, -std::numeric_limits<double>::infinity());
        for (int64_t i = from; i < to; ++i)
            for (int64_t j = 0; j < d; ++j) {
                const double v = X[order[i] * d + j];
                low[node * d + j] = std::min(low[node * d + j], v);
                high[node * d + j] = std::max(high[node * d + j], v);
            }
        if (to - from <= LEAF_POINTS) return node;
        int64_t widest = 0;
        for (int64_t j = 1; j < d; ++j)
            if (high[node * d + j] - low[node * d + j] > high[node * d + widest] - low[node * d + widest]) widest = j;
        if (!(high[node * d + widest] > low[node * d + widest])) return node;  // all equal: a leaf of any size
        const int64_t middle = (from + to) / 2;
        std::nth_element(order.begin() + from, order.begin() + middle, order.begin() + to, [&](int64_t a, int64_t b) {
            const double u = X[a * d + widest], v = X[b * d + widest];
            return u < v || (u == v && a < b);
        });
        const int64_t left = grow(X, from, middle), right = grow(X, middle, to);
        nodes[node].left = left;
        nodes[node].right = right;
        return node;
    }

    void descend(int64_t node, double apart, const double *x, int64_t k, double *heap) const {
        if (!(apart < heap[0])) return;
        const Node &here = nodes[node];
        if (here.left < 0) {
            for (int64_t i = here.from; i < here.to && heap[0] > 0.0; ++i) {  // a leaf of copies may be of any size
                const double v = between(x, at(i));
                if (v < heap[0]) {  // replace the largest and let it sink
                    int64_t c = 0;
                    for (;;) {
                        int64_t child = 2 * c + 1;
                        if (child >= k) break;
                        if (child + 1 < k && heap[child + 1] > heap[child]) ++child;
                        if (heap[child] <= v) break;
                        heap[c] = heap[child];
                        c = child;
                    }
                    heap[c] = v;
                }
            }
            return;
        }
        const double a = nearest(x, here.left), b = nearest(x, here.right);
        if (a <= b) descend(here.left, a, x, k, heap), descend(here.right, b, x, k, heap);
        else descend(here.right, b, x, k, heap), descend(here.left, a, x, k, heap);
    }
};

// Disjoint sets with path halving.
class Sets {
  public:
    std::vector<int64_t> parent;
    explicit Sets(int64_t n) : parent(n) { std::iota(parent.begin(), parent.end(), int64_t(0)); }
    int64_t find(int64_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    }
    bool unite(int64_t a, int64_t b) {  // the smaller number stays
        a = find(a), b = find(b);
        if (a == b) return false;
        if (a < b) parent[b] = a;
        else parent[a] = b;
        return true;
    }
};

}  // namespace assay
