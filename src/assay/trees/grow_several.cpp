// One tree for several targets, or for several numbers by a criterion of one: a module of its own, so that the loops of
// one target stay as the compiler makes them alone. See assay/several_targets.hpp for what a cut gains.
//
// Checked by the caller: as in grow.cpp. Twins in NumPy: tests/trees/test_growing.py, several targets.
#include "assay/edge.hpp"
#include "assay/grown.hpp"
#include "assay/several_targets.hpp"

using namespace assay;

namespace {

// Several targets: classes are numbered through, those of target o from start[o].
void classify_several(const int32_t *y, const int32_t *start, const RowWeights &w, int64_t q, int which,
                      const Data &data, const Rules &rules, const std::vector<uint32_t> &rows, Grown &out) {
    const bool entropy = Impurity(which) == Impurity::Entropy;
    if (w.real)
        return grow_with(ImpurityOfTargets<WeightedTargets>({y, w.real, q}, start, entropy, 0), data, rules, rows, {},
                         out);
    const CountedTargets counted{y, w.counts, q};
    if (!entropy && double(w.most) * double(w.most) * double(q) < 0x1p61)
        return grow_with(GiniOfTargets<CountedTargets>(counted, start), data, rules, rows, {}, out);
    grow_with(ImpurityOfTargets<CountedTargets>(counted, start, entropy, w.most), data, rules, rows, {}, out);
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

// targets: (n, q) classes numbered through, with the first class of each target and the number of all in target_start
// (q + 1,); or both empty and numbers (n, q). criterion: 0 gini, 1 entropy; 5 absolute error, 6 Poisson.
nb::tuple grow_several(const RankedColumns &columns, const Rules &limits, In2<int32_t> targets,
                       In1<int32_t> target_start, In2<double> numbers, In1<int32_t> counts, In1<double> weights,
                       int criterion, uint64_t seed, bool use_up) {
    const int64_t n = columns.n;
    const bool classes = target_start.size() > 0;
    if (classes) {
        require(int64_t(targets.shape(0)) == n && target_start.size() == targets.shape(1) + 1 && targets.shape(1) > 0,
                "grow_several: target");
        check_targets(targets, target_start, criterion);
    } else {
        require(int64_t(numbers.shape(0)) == n && numbers.shape(1) > 0 && (criterion == 5 || criterion == 6),
                "grow_several: numbers");
    }
    Rules rules = limits;
    rules.use_up = use_up, rules.seed = seed;
    const auto run = [&](const Data &data, const Rules &rules, const RowWeights &w, const std::vector<uint32_t> &rows,
                         Grown &out) {
        if (classes)
            return classify_several(targets.data(), target_start.data(), w, int64_t(targets.shape(1)), criterion, data,
                                    rules, rows, out);
        std::vector<double> real;
        if (w.counts) real.assign(w.counts, w.counts + n);
        const Numbers source{numbers.data(), w.counts ? real.data() : w.real, int64_t(numbers.shape(1))};
        if (criterion == 5) predict_several(AbsoluteError(source, n), source, data, rules, rows, out);
        else predict_several(Poisson(source), source, data, rules, rows, out);
    };
    return grow_table(columns, counts, weights, rules, run);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "grow_several", &grow_several, "columns", "limits", "targets", "target_start", "numbers", "counts",
           "weights", "criterion", "seed", "use_up");
}
