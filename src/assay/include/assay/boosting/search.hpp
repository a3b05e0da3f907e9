// What a tree of a boosted sum looks for: the best split of a node, given its histogram.
//
// A node's split depends on its own histogram, sums, bounds and groups alone, and the columns that a node may use on
// its way down from the root. So it is the same whether the rows are in memory, on disk or on other machines, and in
// whatever order nodes are looked at.
#pragma once
#include <cmath>
#include <limits>

#include "assay/boosting/split.hpp"

namespace assay::boosting {

constexpr double INF = std::numeric_limits<double>::infinity();

struct Node {
    Sums sums;
    double value = 0.0, lower = -INF, upper = INF;  // upper and lower: bounds of the children's values
    int64_t start = 0, stop = 0;                    // its rows: rows[start:stop]
    int32_t depth = 0, left = -1, right = -1, slot = -1;
    uint64_t way = 1;                               // a number made of the turns from the root
    Split split;
    std::vector<uint32_t> left_bins;                // nominal splits: bit b set if bin b goes left
    std::vector<int32_t> groups;                    // interaction groups that are still open
};

struct Columns {                                    // one entry a column
    const int32_t *bins, *place;  // bins without the missing one; column of 8 bits, or ~column of 16
    const uint8_t *missing, *nominal;  // whether some value is missing; whether it is nominal
    const int8_t *monotonic;
    int64_t d;
    const int64_t *wide_start;  // where columns of 16 bits begin in a histogram
    int64_t cells;  // of a histogram
};

struct Limits {
    int64_t leaves, depth, rows;  // most leaves and levels (0: any), least rows of a leaf
    double l2, column_share;
};

class Search {
  protected:
    Columns columns_;
    Limits limits_;
    std::vector<std::vector<int32_t>> groups_;  // interaction groups: the columns of each
    Units units_{};
    uint64_t seed_ = 0;

    Search(const Columns &columns, const Limits &limits, std::vector<std::vector<int32_t>> groups)
        : columns_(columns), limits_(limits), groups_(std::move(groups)) {}

    const int64_t *bins_of(const int64_t *h, int64_t j) const {
        const int32_t p = columns_.place[j];
        return h + (p >= 0 ? p * BINS : columns_.wide_start[~p]) * (units_.wide ? 2 : 1);
    }

    int64_t most_bins() const {
        int64_t most = 1;
        for (int64_t j = 0; j < columns_.d; ++j) most = std::max<int64_t>(most, columns_.bins[j] + 1);
        return most;
    }

    Node root(const Sums &total) const {
        Node node;
        node.sums = total;
        for (size_t g = 0; g < groups_.size(); ++g) node.groups.push_back(int32_t(g));
        return node;
    }

    bool may_split(const Node &node) const {
        return node.sums.count >= 2 * limits_.rows && (limits_.depth == 0 || node.depth < limits_.depth) &&
               double(node.sums.h) * units_.h >= MIN_CURVATURE;
    }

    // 24 bits of a number, as many as a float has but without its limits: equal gains are equal.
    static double rounded(double v) {
        int exponent = 0;
        const float most = float(std::frexp(v, &exponent));
        return std::ldexp(double(most), exponent);
    }

    // What the children of a node are before they are looked at.
    void make_children(const Node &node, Node &left, Node &right) const {
        const Split &split = node.split;
        left.depth = right.depth = node.depth + 1;
        left.way = node.way * 0xd1342543de82ef95u + 1, right.way = node.way * 0xd1342543de82ef95u + 2;
        left.sums = split.left, right.sums = node.sums - split.left;
        left.value = split.left_value, right.value = split.right_value;
        bound(node, left, right);
        for (int32_t g : node.groups)
            if (std::binary_search(groups_[g].begin(), groups_[g].end(), split.column)) left.groups.push_back(g);
        right.groups = left.groups;
    }

    void bound(const Node &node, Node &left, Node &right) const {
        left.lower = right.lower = node.lower, left.upper = right.upper = node.upper;
        const int order = columns_.monotonic[node.split.column];
        if (order == 0) return;
        const double middle = (left.value + right.value) / 2;
        (order > 0 ? left.upper : left.lower) = middle;
        (order > 0 ? right.lower : right.upper) = middle;
    }

    // The bins that go left, as bits.
    void mark_bins(Node &node, const int64_t *histogram, Scratch &S) const {
        const int64_t j = node.split.column, bins = columns_.bins[j];
        order_bins(bins_of(histogram, j), bins, columns_.missing[j], node.sums, units_, S);
        node.left_bins.assign((bins + 32) / 32, 0);
        const int64_t used = int64_t(S.order.size()), m = std::abs(node.split.bin);
        for (int64_t i = 0; i < m; ++i) {
            const int32_t b = S.order[node.split.bin > 0 ? i : used - 1 - i].second;
            node.left_bins[b / 32] |= uint32_t(1) << (b % 32);
        }
        node.split.missing_left = node.left_bins[bins / 32] >> (bins % 32) & 1;
    }

    Split best_of(const int64_t *cells, int64_t j, const Node &node, Scratch &S) const {
        const double rounding = double(node.sums.count) * units_.g;
        const Rules rules{limits_.l2, double(limits_.rows),  node.lower,
                          node.upper, columns_.monotonic[j], rounding * (rounding / (double(node.sums.h) * units_.h))};
        Split s =
            columns_.nominal[j]
                ? nominal_split(cells, columns_.bins[j], columns_.missing[j], node.sums, node.value, units_, rules, S)
                : numeric_split(cells, columns_.bins[j], columns_.missing[j], node.sums, node.value, units_, rules, S);
        if (s.gain > 0.0) s.column = int32_t(j);
        return s;
    }

    void settle(Node &node, const Split *best, const int64_t *histogram, Scratch &S) const {  // the first of equals
        node.split = Split();
        for (int64_t j = 0; j < columns_.d; ++j)
            if (best[j].gain > 0.0 && best[j].gain > node.split.gain * TIE) node.split = best[j];
        if (node.split.column < 0) return;
        const Sums right = node.sums - node.split.left;
        const Rules rules{limits_.l2, double(limits_.rows), node.lower, node.upper, 0, 0.0};
        node.split.left_value =
            node_value(double(node.split.left.g) * units_.g, double(node.split.left.h) * units_.h, rules);
        node.split.right_value = node_value(double(right.g) * units_.g, double(right.h) * units_.h, rules);
        if (node.split.nominal) mark_bins(node, histogram, S);
    }

    // (d,) 1 for the columns that the open interaction groups allow, and of these a random share.
    std::vector<uint8_t> columns_for(const Node &node) const {
        std::vector<uint8_t> allowed(columns_.d, groups_.empty());
        for (int32_t g : node.groups)
            for (int32_t j : groups_[g]) allowed[j] = 1;
        if (limits_.column_share >= 1.0) return allowed;
        std::vector<int32_t> chosen;
        for (int32_t j = 0; j < int32_t(columns_.d); ++j)
            if (allowed[j]) chosen.push_back(j);
        const int64_t all = int64_t(chosen.size());
        if (all == 0) return allowed;
        const int64_t some = std::max<int64_t>(1, int64_t(std::ceil(limits_.column_share * double(all))));
        uint64_t state = seed_ + node.way * 0x9e3779b97f4a7c15u;
        std::fill(allowed.begin(), allowed.end(), 0);
        for (int64_t i = 0; i < some; ++i) {  // the first of a shuffle; numbers by splitmix64
            uint64_t z = state += 0x9e3779b97f4a7c15u;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u, z = (z ^ (z >> 27)) * 0x94d049bb133111ebu, z ^= z >> 31;
            std::swap(chosen[i], chosen[i + int64_t(z % uint64_t(all - i))]);
            allowed[chosen[i]] = 1;
        }
        return allowed;
    }
};

}  // namespace assay::boosting
