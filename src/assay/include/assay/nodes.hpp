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

// Tests that stand in where a value is missing, or none. In Python assay.trees._routing.Surrogates.
struct Surrogates {
    In1<int32_t> offset, feature;
    In1<uint8_t> kind;
    In1<double> threshold;
    In1<int32_t> set_offset;
    In1<uint32_t> sets;
    In1<uint8_t> flip;
};

// The arrays of a tree, looked through once when they are put together: indices within their arrays, children behind
// their parents, as many of them as the tests lead to. In Python assay.trees._routing.Nodes.
struct Nodes {
    In1<int32_t> features;
    In1<uint8_t> kinds;
    In1<double> thresholds;
    In1<int32_t> offsets, children, set_offsets;
    In1<uint32_t> set_words;
    In1<int32_t> missing_children;
    In1<double> weights;
    Surrogates surrogates;
    int64_t m, d;  // nodes, columns of the table

    Tests test;
    const int32_t *offset, *child, *missing;
    const double *weight;
    bool backed;  // whether there are surrogates
    const int32_t *backup_offset;
    Tests backup;
    const uint8_t *flip;

    Nodes(In1<int32_t> feature, In1<uint8_t> kind, In1<double> threshold, In1<int32_t> offset_, In1<int32_t> child_,
          In1<int32_t> set_offset, In1<uint32_t> sets, In1<int32_t> missing_, In1<double> weight_, const Surrogates &s,
          int64_t n_features)
        : features(feature), kinds(kind), thresholds(threshold), offsets(offset_), children(child_),
          set_offsets(set_offset), set_words(sets), missing_children(missing_), weights(weight_), surrogates(s),
          m(length(feature)), d(n_features),
          test{feature.data(), kind.data(), threshold.data(), set_offset.data(), sets.data()}, offset(offset_.data()),
          child(child_.data()), missing(missing_.data()), weight(weight_.data()), backed(s.feature.size() > 0),
          backup_offset(s.offset.data()),
          backup{s.feature.data(), s.kind.data(), s.threshold.data(), s.set_offset.data(), s.sets.data()},
          flip(s.flip.data()) {
        check();
    }

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

  private:
    void check() const {
        require(m > 0 && length(kinds) == m && length(thresholds) == m && length(missing_children) == m &&
                    length(weights) == m,
                "tree: arrays of another length");
        require(shares_out(offsets, m, length(children)), "tree: children do not fit their nodes");
        constexpr int64_t WANTED[] = {0, 2, 2, 0, 3};  // children that a test of each kind leads to
        bool fits = true;
        for (int64_t i = 0; i < m; ++i) {
            const int64_t n_children = offset[i + 1] - offset[i], what = test.kind[i];
            if (what == LEAF) continue;
            fits &= what <= TERNARY && n_children > 0 && test.feature[i] >= 0 && test.feature[i] < d;
            fits &= missing[i] >= -1 && missing[i] < n_children;
            if (fits) fits = n_children >= WANTED[what];
            for (int64_t c = offset[i]; c < offset[i + 1]; ++c) fits &= child[c] > i && child[c] < m;
        }
        require(fits, "tree: a test or a child that is not there");
        check_sets(test.kind, m, set_offsets, set_words);
        if (!backed) return;
        const int64_t backups = length(surrogates.feature);
        require(length(surrogates.kind) == backups && length(surrogates.threshold) == backups &&
                    length(surrogates.flip) == backups && shares_out(surrogates.offset, m, backups) &&
                    within(surrogates.feature, 0, d) && within(surrogates.flip, 0, 2),
                "tree: surrogates do not fit their nodes");
        for (int64_t s = 0; s < backups; ++s) fits &= backup.kind[s] == THRESHOLD || backup.kind[s] == SUBSET;
        for (int64_t i = 0; i < m; ++i)
            fits &= backup_offset[i] == backup_offset[i + 1] || test.kind[i] == LEAF || offset[i + 1] - offset[i] >= 2;
        require(fits, "tree: a surrogate of another kind");
        check_sets(backup.kind, backups, surrogates.set_offset, surrogates.sets);
    }

    static void check_sets(const uint8_t *kind, int64_t m, const In1<int32_t> &set_offset, const In1<uint32_t> &sets) {
        require(shares_out(set_offset, m, length(sets)), "tree: sets do not fit their tests");
        bool fits = true;
        for (int64_t i = 0; i < m; ++i)
            fits &= kind[i] != TERNARY || set_offset.data()[i + 1] - set_offset.data()[i] >= 2;
        require(fits, "tree: a second threshold is not there");
    }
};

}  // namespace assay
