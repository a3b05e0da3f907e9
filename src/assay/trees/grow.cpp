// One tree from ranked columns: see assay/grower.hpp for how it grows, assay/criteria.hpp for what a cut gains.
//
// Checked by the caller: shapes, ranks below the number of distinct values (missing: equal), classes below K, at least
// one row with a weight above zero, n below 2^31.
// Twins in NumPy: tests/trees/test_growing.py and, for rows in fractions, test_growing_fractions.py: tree_by_the_book.
#include "assay/edge.hpp"
#include "assay/grown.hpp"

using namespace assay;

namespace {

template <class Source>
void classify(Source source, const RowWeights &w, int K, const double *loss, int which, const Data &data,
              const Rules &rules, const std::vector<uint32_t> &rows, const std::vector<uint32_t> &packed, Grown &out) {
    const auto kind = Impurity(which);
    if (kind == Impurity::Gini && K == 2)
        return grow_with(GiniOfTwo<Source>(source, 2, kind, nullptr, 0), data, rules, rows, packed, out);
    if constexpr (std::is_same<typename Source::Weight, int64_t>::value)
        if (kind == Impurity::Gini && K > 2)
            return grow_with(GiniOfMany<Source>(source, K, kind, nullptr, 0), data, rules, rows, packed, out);
    grow_with(AnyImpurity<Source>(source, K, kind, loss, w.most), data, rules, rows, packed, out);
}

// y: classes (n,), or empty and numbers (n, q). weights: whole (n,), real (n,), or both empty. criterion: 0 gini,
// 1 entropy, 2 error, 3 risk; 4 squared error, 5 absolute error, 6 Poisson (the last two: q = 1).
nb::tuple grow(const RankedColumns &columns, const Rules &limits, In1<int32_t> y, In2<double> numbers,
               In1<int32_t> counts, In1<double> weights, int n_classes, int criterion, In1<int8_t> monotonic,
               In2<double> loss, uint64_t seed, bool use_up) {
    const int64_t n = columns.n;
    require(n_classes > 0 ? int64_t(y.shape(0)) == n : int64_t(numbers.shape(0)) == n, "grow: target");
    if (n_classes > 0)
        require(within(y, 0, n_classes) && criterion >= 0 && criterion < 4, "grow: a class that is not there");
    else require(numbers.shape(1) > 0 && criterion >= 4 && criterion <= 6, "grow: a criterion for numbers");
    require(!monotonic.size() || monotonic.shape(0) == columns.categories.shape(0), "grow: monotonic");
    require(criterion != 3 || int64_t(loss.size()) == int64_t(n_classes) * n_classes, "grow: loss");
    require(criterion < 5 || numbers.shape(1) == 1, "grow: one number a row");
    Rules rules = limits;
    rules.use_up = use_up, rules.monotonic = data_or_null(monotonic), rules.seed = seed;
    const int32_t *labels = y.data();
    const double *losses = data_or_null(loss);
    const auto run = [&](const Data &data, Rules rules, const RowWeights &w, const std::vector<uint32_t> &rows,
                         Grown &out) {
        std::vector<uint32_t> packed;
        if (n_classes > 0 && !w.real) {
            rules.packed = !data.order && !rules.surrogate && n_classes <= 256 && w.heaviest < (1 << 24);
            if (rules.packed) {
                packed.reserve(rows.size());
                for (uint32_t r : rows)
                    packed.push_back(uint32_t(w.counts ? w.counts[r] : 1) << 8 | uint32_t(labels[r]));
                classify(PackedRows{}, w, n_classes, losses, criterion, data, rules, rows, packed, out);
            } else if (!w.counts && n_classes <= 256) {
                std::vector<uint8_t> y8(labels, labels + n);
                classify(UnitRows{y8.data()}, w, n_classes, losses, criterion, data, rules, rows, packed, out);
            } else {
                std::vector<int32_t> ones(w.counts ? 0 : n, 1);
                classify(CountedRows{labels, w.counts ? w.counts : ones.data()}, w, n_classes, losses, criterion, data,
                         rules, rows, packed, out);
            }
        } else if (n_classes > 0) {
            classify(WeightedRows{labels, w.real}, w, n_classes, losses, criterion, data, rules, rows, packed, out);
        } else {
            std::vector<double> real;
            if (w.counts) real.assign(w.counts, w.counts + n);
            const Numbers source{numbers.data(), w.counts ? real.data() : w.real, int64_t(numbers.shape(1))};
            if (criterion == 5) grow_with(AbsoluteError(source, n), data, rules, rows, packed, out);
            else if (criterion == 6) grow_with(Poisson(source), data, rules, rows, packed, out);
            else if (source.q == 1) grow_with(SquaredError(source), data, rules, rows, packed, out);
            else grow_with(SquaredErrors(source), data, rules, rows, packed, out);
        }
    };
    return grow_table(columns, counts, weights, rules, run);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<RankedColumns>(m, "RankedColumns", field("order", &RankedColumns::order),
                          field("ranks", &RankedColumns::ranks), field("X", &RankedColumns::X),
                          field("values", &RankedColumns::values), field("start", &RankedColumns::start),
                          field("categories", &RankedColumns::categories),
                          field("has_missing", &RankedColumns::has_missing), field("n", &RankedColumns::n));
    record<Rules>(m, "Limits", field("random", &Rules::random), field("surrogate", &Rules::surrogate),
                  field("spread", &Rules::spread), field("max_depth", &Rules::max_depth),
                  field("min_split", &Rules::min_split), field("min_leaf", &Rules::min_leaf),
                  field("min_weight", &Rules::min_weight), field("min_node", &Rules::min_node),
                  field("max_features", &Rules::max_features), field("max_leaves", &Rules::max_leaves),
                  field("min_decrease", &Rules::min_decrease), field("max_candidates", &Rules::max_candidates));
    define(m, "grow", &grow, "columns", "limits", "y", "numbers", "counts", "weights", "n_classes", "criterion",
           "monotonic", "loss", "seed", "use_up");
}
