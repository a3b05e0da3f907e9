// The nodes of a flat tree of tests on single columns, and which branch a row takes at one of them.
//
//     LEAF 0       stop
//     THRESHOLD 1  x_f <= t: child 0, else child 1
//     SUBSET 2     category x_f in the node's set: child 0, else child 1
//     NWAY 3       category c: child c
//     TERNARY 4    x_f <= t: child 0, x_f <= s: child 1, else child 2     (s stands in the node's two words)
//
// A missing value asks the surrogates in their order, then goes where `missing` says; -1 spreads the row
// over all children in proportion to their weights.
// CHECK_NODES: indices within their arrays, children behind their parents, as many of them as the tests lead to.
#pragma once
#include <cstring>

#include "assay/array.hpp"

namespace assay {

enum { LEAF, THRESHOLD, SUBSET, NWAY, TERNARY };

struct Tests {  // of nodes or of surrogates
    const int32_t *feature;
    const uint8_t *kind;
    const double *threshold;
    const int32_t *set_offset;
    const uint32_t *sets;

    // Child number for the present value v, or -1 if it is no category that the node knows.
    int32_t branch(int64_t i, double v, int64_t n_children) const {
        if (kind[i] == THRESHOLD) return v > threshold[i];
        const uint32_t *words = sets + set_offset[i];
        if (kind[i] == TERNARY) {
            double second;
            std::memcpy(&second, words, 8);
            return (v > threshold[i]) + (v > second);
        }
        if (!(v >= 0 && v < 2147483647.0)) return -1;
        const int64_t c = int64_t(v);
        if (kind[i] == NWAY) return c < n_children ? int32_t(c) : -1;
        if (c >= 32 * int64_t(set_offset[i + 1] - set_offset[i])) return -1;
        return (words[c >> 5] >> (c & 31) & 1u) ? 0 : 1;
    }
};

struct Nodes {
    Tests test;
    const int32_t *offset, *child, *missing;
    const double *weight;
    bool backed;  // whether there are surrogates
    const int32_t *backup_offset;
    Tests backup;
    const uint8_t *flip;
    int64_t m;

    // Child number for the row, or -1 to spread it over all children.
    template <class T>
    int32_t branch(int64_t i, const T *x) const {
        const int64_t n_children = offset[i + 1] - offset[i];
        const double v = x[test.feature[i]];
        if (v == v) {
            const int32_t b = test.branch(i, v, n_children);
            if (b >= 0) return b;
        }
        if (backed)
            for (int64_t s = backup_offset[i]; s < backup_offset[i + 1]; ++s) {
                const double u = x[backup.feature[s]];
                if (u != u) continue;
                const int32_t b = backup.branch(s, u, n_children);
                if (b >= 0) return flip[s] ? 1 - b : b;
            }
        return missing[i];
    }

    // The child with the most weight, the first among equals.
    int32_t heaviest(int64_t i) const {
        int32_t best = 0;
        for (int32_t b = 1; b < offset[i + 1] - offset[i]; ++b)
            if (weight[child[offset[i] + b]] > weight[child[offset[i] + best]]) best = b;
        return best;
    }
};

inline void check_sets(const uint8_t *kind, int64_t m, const In1<int32_t> &set_offset, const In1<uint32_t> &sets) {
    require(shares_out(set_offset, m, length(sets)), "tree: sets do not fit their tests");
    bool fits = true;
    for (int64_t i = 0; i < m; ++i) fits &= kind[i] != TERNARY || set_offset.data()[i + 1] - set_offset.data()[i] >= 2;
    require(fits, "tree: a second threshold is not there");
}

}  // namespace assay

// What Python passes for a tree: Tree._arrays.
#define TREE_ARGUMENTS                                                                                          \
    In1<int32_t> feature, In1<uint8_t> kind, In1<double> threshold, In1<int32_t> offset, In1<int32_t> child,      \
        In1<int32_t> set_offset, In1<uint32_t> sets, In1<int32_t> missing, In1<double> weight,                    \
        In1<int32_t> backup_offset, In1<int32_t> backup_feature, In1<uint8_t> backup_kind,                        \
        In1<double> backup_threshold, In1<int32_t> backup_set_offset, In1<uint32_t> backup_sets, In1<uint8_t> flip
#define THE_NODES                                                                                               \
    Nodes {                                                                                                     \
        {feature.data(), kind.data(), threshold.data(), set_offset.data(), sets.data()}, offset.data(),         \
            child.data(), missing.data(), weight.data(), backup_feature.size() > 0, backup_offset.data(),        \
            {backup_feature.data(), backup_kind.data(), backup_threshold.data(), backup_set_offset.data(),       \
             backup_sets.data()},                                                                               \
            flip.data(), int64_t(feature.size())                                                                \
    }

namespace assay {

inline void check_nodes(TREE_ARGUMENTS, int64_t d) {
    const int64_t m = length(feature), backups = length(backup_feature);
    require(m > 0 && length(kind) == m && length(threshold) == m && length(missing) == m && length(weight) == m,
            "tree: arrays of another length");
    require(shares_out(offset, m, length(child)), "tree: children do not fit their nodes");
    constexpr int64_t WANTED[] = {0, 2, 2, 0, 3};  // children that a test of each kind leads to
    bool fits = true;
    for (int64_t i = 0; i < m; ++i) {
        const int64_t children = offset.data()[i + 1] - offset.data()[i], what = kind.data()[i];
        if (what == LEAF) continue;
        fits &= what <= TERNARY && children > 0 && feature.data()[i] >= 0 && feature.data()[i] < d;
        fits &= missing.data()[i] >= -1 && missing.data()[i] < children;
        if (fits) fits = children >= WANTED[what];
        for (int64_t c = offset.data()[i]; c < offset.data()[i + 1]; ++c) fits &= child.data()[c] > i && child.data()[c] < m;
    }
    require(fits, "tree: a test or a child that is not there");
    check_sets(kind.data(), m, set_offset, sets);
    if (backups == 0) return;
    require(length(backup_kind) == backups && length(backup_threshold) == backups && length(flip) == backups &&
                shares_out(backup_offset, m, backups) && within(backup_feature, 0, d) && within(flip, 0, 2),
            "tree: surrogates do not fit their nodes");
    for (int64_t s = 0; s < backups; ++s) fits &= backup_kind.data()[s] == THRESHOLD || backup_kind.data()[s] == SUBSET;
    for (int64_t i = 0; i < m; ++i)
        fits &= backup_offset.data()[i] == backup_offset.data()[i + 1] || kind.data()[i] == LEAF ||
                offset.data()[i + 1] - offset.data()[i] >= 2;
    require(fits, "tree: a surrogate of another kind");
    check_sets(backup_kind.data(), backups, backup_set_offset, backup_sets);
}

}  // namespace assay

#define CHECK_NODES(d)                                                                                          \
    assay::check_nodes(feature, kind, threshold, offset, child, set_offset, sets, missing, weight, backup_offset,  \
                       backup_feature, backup_kind, backup_threshold, backup_set_offset, backup_sets, flip,        \
                       int64_t(d))
