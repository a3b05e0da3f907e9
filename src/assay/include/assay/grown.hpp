// From the arrays of a ranked table to a grown tree and back to arrays: what all modules that grow trees share.
#pragma once
#include "assay/edge.hpp"
#include "assay/grower.hpp"

namespace assay {

// ------------------------------------------------------------------ the grown tree, in preorder, as arrays

struct Grown {
    std::vector<int32_t> feature, offset, child, set_offset, missing;
    std::vector<uint8_t> kind;
    std::vector<double> threshold, value, impurity, weight;
    std::vector<uint32_t> sets;
    std::vector<int64_t> rows;
    std::vector<int32_t> s_offset, s_feature, s_set_offset;  // surrogates
    std::vector<uint8_t> s_kind, s_flip;
    std::vector<double> s_threshold;
    std::vector<uint32_t> s_sets;

    void from(const std::vector<Node> &nodes, const std::vector<More> &more, const std::vector<double> &values) {
        const size_t m = nodes.size(), width = values.size() / m;
        std::vector<int32_t> place(m), at;
        std::vector<int32_t> stack{0};
        at.reserve(m);
        while (!stack.empty()) {
            const int32_t i = stack.back();
            stack.pop_back();
            place[i] = int32_t(at.size());
            at.push_back(i);
            if (nodes[i].kind != LEAF) stack.push_back(nodes[i].right), stack.push_back(nodes[i].left);
        }
        feature.resize(m), kind.resize(m), threshold.resize(m), missing.resize(m), impurity.resize(m), weight.resize(m);
        rows.resize(m), value.resize(m * width), offset.resize(m + 1), child.reserve(m), set_offset.resize(m + 1);
        s_offset.resize(m + 1), s_set_offset.push_back(0);
        for (size_t p = 0; p < m; ++p) {
            const Node &node = nodes[at[p]];
            feature[p] = node.feature, kind[p] = node.kind, threshold[p] = node.threshold, missing[p] = node.missing;
            impurity[p] = node.impurity, weight[p] = node.weight, rows[p] = node.rows;
            std::copy_n(values.data() + at[p] * width, width, value.data() + p * width);
            if (node.kind != LEAF) child.push_back(place[node.left]), child.push_back(place[node.right]);
            if (node.more >= 0) say_more(more[node.more]);
            offset[p + 1] = int32_t(child.size()), set_offset[p + 1] = int32_t(sets.size());
            s_offset[p + 1] = int32_t(s_feature.size());
        }
    }
    void say_more(const More &more) {
        sets.insert(sets.end(), more.set.begin(), more.set.end());
        for (const StandIn &t : more.stand_ins) {
            s_feature.push_back(t.feature), s_kind.push_back(t.kind), s_flip.push_back(t.flip);
            s_threshold.push_back(t.threshold);
            s_sets.insert(s_sets.end(), t.set.begin(), t.set.end());
            s_set_offset.push_back(int32_t(s_sets.size()));
        }
    }
};

template <class Criterion>
void grow_with(Criterion criterion, const Data &data, const Rules &rules, const std::vector<uint32_t> &rows,
               const std::vector<uint32_t> &packed, Grown &out) {
    Grower<Criterion> grower(data, rules, criterion, rows, packed);
    grower.run();
    out.from(grower.nodes, grower.more, grower.values);
}

// The columns of a table, ranked once for all trees that grow on it.
struct RankedColumns {
    InOut2<uint64_t> order;  // (d, n) rank << 32 | row, ascending; or empty: then the ranks serve
    In2<int32_t> ranks;      // (d, n), or empty
    In2<double> X;           // (n, d), or empty
    In1<double> values;      // of the ranks of all columns, or empty: then X says them
    In1<int64_t> start;      // (d + 1,) where the values of each column begin
    In1<int32_t> categories;  // (d,) 0: numeric
    In1<uint8_t> has_missing;  // (d,)
    int64_t n;
};

// What the rows weigh: whole numbers, real numbers, or (both null) 1 each.
struct RowWeights {
    const int32_t *counts;
    const double *real;
    int64_t most;      // sum of whole weights, or the number of rows
    int32_t heaviest;  // largest whole weight
};

// Checks the arrays, takes the rows that weigh something, lets run(data, rules, weights, rows, out) grow the tree, and
// gives its arrays. order is written to only if it may be used up.
template <class Run>
nb::tuple grow_table(const RankedColumns &columns, const In1<int32_t> &counts, const In1<double> &weights,
                     const Rules &rules, Run run) {
    const auto &[order, ranks, X, values, start, categories, has_missing, n] = columns;
    const int64_t d = int64_t(categories.shape(0));
    const auto shaped = [d, n = columns.n](const auto &a) {
        return a.size() == 0 || (int64_t(a.shape(0)) == d && int64_t(a.shape(1)) == n);
    };
    require(shaped(order) && shaped(ranks) && (order.size() || ranks.size()), "grow: columns");
    require(!rules.surrogate || ranks.size(), "grow: surrogates need ranks");
    require(!rules.spread ||
                (!order.size() && !rules.random && !rules.surrogate && weights.size() && rules.min_weight > 0),
            "grow: rows in fractions need ranks, real weights, and a least weight of a leaf");
    require(!X.size() || (int64_t(X.shape(0)) == n && int64_t(X.shape(1)) == d), "grow: numbers");
    require(!rules.random || !order.size(), "grow: random cuts need ranks");
    require(int64_t(start.shape(0)) == d + 1 && int64_t(has_missing.shape(0)) == d, "grow: columns");
    require(values.size() || (order.size() && X.size() && !rules.surrogate) || !start.data()[d],
            "grow: without values, the order and the table must say them");
    require(0 < n && n < (int64_t(1) << 31) && within(categories, 0, INT32_MAX) &&
                shares_out(start, d, values.size() ? length(values) : start.data()[d], true),
            "grow: the numbers of the columns");
    for (int64_t j = 0; j < d; ++j) {  // a column has as many places as categories, or one for each distinct number
        const int64_t places = start.data()[j + 1] - start.data()[j], r = categories.data()[j];
        require(r ? places == r : places <= n, "grow: a column has other categories than places");
    }
    require((!counts.size() || int64_t(counts.shape(0)) == n) && (!weights.size() || int64_t(weights.shape(0)) == n),
            "grow: weights");
    Grown out;
    {
        const Data data{n,
                        d,
                        data_or_null(order),
                        data_or_null(ranks),
                        data_or_null(values),
                        start.data(),
                        categories.data(),
                        has_missing.data(),
                        data_or_null(X)};
        RowWeights w{data_or_null(counts), data_or_null(weights), 0, 1};
        nb::gil_scoped_release unlocked;
        std::vector<uint32_t> rows;
        rows.reserve(size_t(n));
        for (int64_t i = 0; i < n; ++i)
            if (w.counts ? w.counts[i] > 0 : w.real ? w.real[i] > 0 : true) rows.push_back(uint32_t(i));
        require(!rows.empty(), "grow: no row has a weight above zero");
        w.most = int64_t(rows.size());
        if (w.counts) {
            w.most = 0;
            for (int64_t i = 0; i < n; ++i) w.most += w.counts[i], w.heaviest = std::max(w.heaviest, w.counts[i]);
        }
        run(data, rules, w, rows, out);
    }
    return nb::make_tuple(give(std::move(out.feature)), give(std::move(out.kind)), give(std::move(out.threshold)),
                          give(std::move(out.offset)), give(std::move(out.child)), give(std::move(out.set_offset)),
                          give(std::move(out.sets)), give(std::move(out.missing)), give(std::move(out.value)),
                          give(std::move(out.impurity)), give(std::move(out.rows)), give(std::move(out.weight)),
                          nb::make_tuple(give(std::move(out.s_offset)), give(std::move(out.s_feature)),
                                         give(std::move(out.s_kind)), give(std::move(out.s_threshold)),
                                         give(std::move(out.s_set_offset)), give(std::move(out.s_sets)),
                                         give(std::move(out.s_flip))));
}

}  // namespace assay
