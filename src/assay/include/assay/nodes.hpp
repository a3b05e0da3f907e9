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
// Checked by the caller (Tree.check): indices within their arrays, children behind their parents.
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
