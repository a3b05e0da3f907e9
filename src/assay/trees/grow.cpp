// One tree from ranked columns: see assay/grower.hpp for how it grows, assay/criteria.hpp for what a cut gains.
//
// Checked by the caller: shapes, ranks below the number of distinct values (missing: equal), classes below K, at least
// one row with a weight above zero, n below 2^31.
// Twins in NumPy: tests/trees/test_growing.py and, for rows in fractions, test_growing_fractions.py: tree_by_the_book.
#include "assay/give.hpp"
#include "assay/grower.hpp"
#include "assay/several_targets.hpp"

using namespace assay;

namespace {

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

struct Target {
    int K;
    const int32_t *y;
    const uint8_t *y8;
    const double *numbers;
    int64_t q;
    const int32_t *counts;
    const double *weights;
    const double *loss;
    int64_t most;  // sum of whole weights
};

template <class Criterion>
void grow_with(Criterion criterion, const Data &data, const Rules &rules, const std::vector<uint32_t> &rows,
               const std::vector<uint32_t> &packed, Grown &out) {
    Grower<Criterion> grower(data, rules, criterion, rows, packed);
    grower.run();
    out.from(grower.nodes, grower.more, grower.values);
}

template <class Source>
void classify(Source source, const Target &t, int which, const Data &data, const Rules &rules,
              const std::vector<uint32_t> &rows, const std::vector<uint32_t> &packed, Grown &out) {
    const auto kind = Impurity(which);
    if (kind == Impurity::Gini && t.K == 2)
        return grow_with(GiniOfTwo<Source>(source, 2, kind, nullptr, 0), data, rules, rows, packed, out);
    if constexpr (std::is_same<typename Source::Weight, int64_t>::value)
        if (kind == Impurity::Gini && t.K > 2)
            return grow_with(GiniOfMany<Source>(source, t.K, kind, nullptr, 0), data, rules, rows, packed, out);
    grow_with(AnyImpurity<Source>(source, t.K, kind, t.loss, t.most), data, rules, rows, packed, out);
}

// Several targets: classes are numbered through, those of target o from start[o].
void classify_several(const int32_t *y, const int32_t *start, const Target &t, int which, const Data &data,
                      const Rules &rules, const std::vector<uint32_t> &rows, Grown &out) {
    const bool entropy = Impurity(which) == Impurity::Entropy;
    if (t.weights)
        return grow_with(ImpurityOfTargets<WeightedTargets>({y, t.weights, t.q}, start, entropy, 0), data, rules, rows,
                         {}, out);
    const CountedTargets counted{y, t.counts, t.q};
    if (!entropy && double(t.most) * double(t.most) * double(t.q) < 0x1p61)
        return grow_with(GiniOfTargets<CountedTargets>(counted, start), data, rules, rows, {}, out);
    grow_with(ImpurityOfTargets<CountedTargets>(counted, start, entropy, t.most), data, rules, rows, {}, out);
}

// Several numbers, by a criterion that has no form of its own for them.
template <class One>
void predict_several(One one, const Numbers &source, const Data &data, const Rules &rules,
                     const std::vector<uint32_t> &rows, Grown &out) {
    std::vector<double> columns(size_t(source.q * data.n));
    for (int64_t i = 0; i < data.n; ++i)
        for (int64_t o = 0; o < source.q; ++o) columns[size_t(o * data.n + i)] = source.y[i * source.q + o];
    const NumberColumns by_output{columns.data(), source.weight, source.q, data.n};
    grow_with(EachNumber<One>(by_output, std::vector<One>(size_t(source.q), one)), data, rules, rows, {}, out);
}

void check_targets(const In2<int32_t> &targets, const In1<int32_t> &start, int criterion) {
    const int64_t q = int64_t(targets.shape(1));
    const int32_t *first = start.data();
    require(criterion < 2 && first[0] == 0, "grow: several targets take Gini or entropy");
    for (int64_t o = 0; o < q; ++o) require(first[o] < first[o + 1], "grow: a target has no class");
    const int32_t *y = targets.data();
    bool inside = true;
    for (int64_t i = 0; i < int64_t(targets.shape(0)); ++i)
        for (int64_t o = 0; o < q; ++o) inside &= y[i * q + o] >= first[o] && y[i * q + o] < first[o + 1];
    require(inside, "grow: classes of the targets");
}

template <class A> auto data_or_null(const A &a) { return a.size() ? a.data() : nullptr; }

// order is written to only if it may be used up. y: classes (n,), or empty and either numbers (n, q), or targets (n, q)
// whose classes are numbered through, with their first classes and the number of all in target_start (q + 1,). weights: whole (n,), real (n,), or both empty. criterion: 0 gini,
// 1 entropy, 2 error, 3 risk; 4 squared error, 5 absolute error, 6 Poisson.
nb::tuple grow(InOut2<uint64_t> order, bool use_up, In2<int32_t> ranks, In2<double> X, In1<double> values, In1<int64_t> start,
               In1<int32_t> categories, In1<uint8_t> holes, In1<int32_t> y, In2<int32_t> targets,
               In1<int32_t> target_start, In2<double> numbers, In1<int32_t> counts,
               In1<double> weights, int64_t n, int n_classes, int criterion, bool random, bool surrogate,
               bool spread, int64_t max_depth, int64_t min_split, int64_t min_leaf, double min_weight, double min_node,
               int64_t max_features,
               int64_t max_leaves, double min_decrease, int64_t max_candidates, In1<int8_t> monotonic, In2<double> loss,
               uint64_t seed) {
    const int64_t d = int64_t(categories.shape(0));
    const auto shaped = [d, n](const auto &a) {
        return a.size() == 0 || (int64_t(a.shape(0)) == d && int64_t(a.shape(1)) == n);
    };
    require(shaped(order) && shaped(ranks) && (order.size() || ranks.size()), "grow: columns");
    require(!surrogate || ranks.size(), "grow: surrogates need ranks");
    require(!spread || (!order.size() && !random && !surrogate && weights.size() && min_weight > 0),
            "grow: rows in fractions need ranks, real weights, and a least weight of a leaf");
    require(!X.size() || (int64_t(X.shape(0)) == n && int64_t(X.shape(1)) == d), "grow: numbers");
    require(!random || !order.size(), "grow: random cuts need ranks");
    require(int64_t(start.shape(0)) == d + 1 && int64_t(holes.shape(0)) == d, "grow: columns");
    require(values.size() || (order.size() && X.size() && !surrogate) || !start.data()[d],
            "grow: without values, the order and the table must say them");
    const bool several = target_start.size() > 0;
    require(several ? int64_t(targets.shape(0)) == n && target_start.size() == targets.shape(1) + 1 && targets.shape(1) > 0
                    : n_classes > 0 ? int64_t(y.shape(0)) == n
                                    : int64_t(numbers.shape(0)) == n,
            "grow: target");
    if (several) check_targets(targets, target_start, criterion);
    else if (n_classes > 0) require(within(y, 0, n_classes) && criterion >= 0 && criterion < 4, "grow: a class that is not there");
    else require(numbers.shape(1) > 0 && criterion >= 4 && criterion <= 6, "grow: a criterion for numbers");
    require(0 < n && n < (int64_t(1) << 31) && within(categories, 0, INT32_MAX) && within(start, 0, sized(n, d, "grow: columns") + 1) &&
                shares_out(start, d, values.size() ? length(values) : start.data()[d]),
            "grow: the numbers of the columns");
    require((!counts.size() || int64_t(counts.shape(0)) == n) && (!weights.size() || int64_t(weights.shape(0)) == n),
            "grow: weights");
    require(!monotonic.size() || int64_t(monotonic.shape(0)) == d, "grow: monotonic");
    require(criterion != 3 || int64_t(loss.size()) == int64_t(n_classes) * n_classes, "grow: loss");

    Grown out;
    {
        const Data data{n, d, data_or_null(order), data_or_null(ranks), data_or_null(values), start.data(),
                        categories.data(), holes.data(), data_or_null(X)};
        Target t{n_classes, y.data(), nullptr, numbers.data(), int64_t(numbers.shape(1)), data_or_null(counts),
                 data_or_null(weights), data_or_null(loss), 0};
        const int8_t *mono = data_or_null(monotonic);
        nb::gil_scoped_release unlocked;
        std::vector<uint32_t> rows, packed;
        rows.reserve(n);
        for (int64_t i = 0; i < n; ++i)
            if (t.counts ? t.counts[i] > 0 : t.weights ? t.weights[i] > 0 : true) rows.push_back(uint32_t(i));
        require(!rows.empty(), "grow: no row has a weight above zero");
        int32_t heaviest = 1;
        t.most = int64_t(rows.size());
        if (t.counts) {
            t.most = 0;
            for (int64_t i = 0; i < n; ++i) t.most += t.counts[i], heaviest = std::max(heaviest, t.counts[i]);
        }
        Rules rules{random, surrogate, spread, false, use_up, max_depth, min_split, min_leaf, max_features, max_leaves,
                    max_candidates, min_weight, min_node, min_decrease, mono, seed};
        if (several) {
            t.q = int64_t(targets.shape(1));
            classify_several(targets.data(), target_start.data(), t, criterion, data, rules, rows, out);
        } else if (n_classes > 0 && !t.weights) {
            rules.packed = !data.order && !surrogate && n_classes <= 256 && heaviest < (1 << 24);
            if (rules.packed) {
                packed.reserve(rows.size());
                for (uint32_t r : rows) packed.push_back(uint32_t(t.counts ? t.counts[r] : 1) << 8 | uint32_t(t.y[r]));
                classify(PackedRows{}, t, criterion, data, rules, rows, packed, out);
            } else if (!t.counts && n_classes <= 256) {
                std::vector<uint8_t> y8(t.y, t.y + n);
                classify(UnitRows{y8.data()}, t, criterion, data, rules, rows, packed, out);
            } else {
                std::vector<int32_t> ones(t.counts ? 0 : n, 1);
                classify(CountedRows{t.y, t.counts ? t.counts : ones.data()}, t, criterion, data, rules, rows, packed,
                         out);
            }
        } else if (n_classes > 0) {
            classify(WeightedRows{t.y, t.weights}, t, criterion, data, rules, rows, packed, out);
        } else {
            std::vector<double> real;
            if (t.counts) real.assign(t.counts, t.counts + n);
            const Numbers source{t.numbers, t.counts ? real.data() : t.weights, t.q};
            if (criterion == 5 && t.q > 1) predict_several(AbsoluteError(source, n), source, data, rules, rows, out);
            else if (criterion == 6 && t.q > 1) predict_several(Poisson(source), source, data, rules, rows, out);
            else if (criterion == 5) grow_with(AbsoluteError(source, n), data, rules, rows, packed, out);
            else if (criterion == 6) grow_with(Poisson(source), data, rules, rows, packed, out);
            else if (t.q == 1) grow_with(SquaredError(source), data, rules, rows, packed, out);
            else grow_with(SquaredErrors(source), data, rules, rows, packed, out);
        }
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

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { m.def("grow", &grow); }
