// Perceptron: visit rows in a given order and correct each mistake.
//
//     m = y_i (w_0 + w . x_i) - margin
//     if m < 0, or m = 0 and ties are mistakes (or y_i = -1, since sign(0) = +1):
//         w_0 += step_i y_i,    w += step_i y_i x_i,    step_i = rate * weight_i
//
// For the mean of the weights over all visits, drift adds up (visits before) * correction: mean = w - drift / visits.
// Checked by the caller: finite rows, y of -1 and +1.
// Twin in NumPy: tests/linear/discriminants/test_mistakes.py, visits_by_the_book.
#include <utility>

#include "assay/edge.hpp"
#include "assay/rows.hpp"

using namespace assay;

namespace {

struct Rule {  // when a row is corrected, and how far
    double rate, margin;
    bool tie_is_mistake, bias;
    int64_t limit;  // stop after so many corrections
};

template <class Rows>
std::pair<int64_t, int64_t> walk(const Rows &rows, const double *y, const double *weight, const int64_t *order,
                                 int64_t begin, int64_t end, const Rule &rule, double *w, double *drift, int64_t visits,
                                 int64_t *corrected) {
    int64_t corrections = 0, t = begin;
    for (; t < end && corrections < rule.limit; ++t) {
        const int64_t i = order[t];
        const double m = y[i] * (w[0] + rows.score(i, w + 1)) - rule.margin;
        if (m > 0 || (m == 0 && !rule.tie_is_mistake && y[i] > 0)) continue;
        const double step = rule.rate * y[i] * (weight ? weight[i] : 1.0);
        if (rule.bias) w[0] += step;
        rows.add(i, step, w + 1);
        if (drift) {
            const double late = step * double(visits + t);
            if (rule.bias) drift[0] += late;
            rows.add(i, late, drift + 1);
        }
        corrected[corrections++] = i;
    }
    return {t, corrections};
}

// Rows to visit among n, from a place in their order on; d columns.
void check_visits(int64_t n, int64_t d, const In1<double> &y, const In1<double> &weight, const In1<int64_t> &order,
                  int64_t begin, const InOut1<double> &w, const InOut1<double> &drift,
                  const InOut1<int64_t> &corrected) {
    require(length(y) == n && weighs(weight, n) && within(order, 0, n),
            "perceptron: a sign and a weight for each row, and rows to visit among them");
    require(0 <= begin && length(w) == d + 1 && (drift.size() == 0 || length(drift) == d + 1) &&
                length(corrected) >= length(order),
            "perceptron: a weight for each column and the bias, and a place for each correction");
}

nb::tuple dense(In2<double> X,                // in      (n, d)
                In1<double> y,                // in      (n,)      -1 or +1
                In1<double> weight,           // in      (n,), or (0,) for ones
                In1<int64_t> order,           // in      (m,)      rows to visit
                int64_t begin,                // the first place in order
                const Rule &rule,
                InOut1<double> w,             // in/out  (d + 1,)  bias first
                InOut1<double> drift,         // in/out  (d + 1,), or (0,) if nobody asks for the mean
                int64_t visits,               // visits before the first place in order
                InOut1<int64_t> corrected) {  // out     (m,)      the rows that were corrected
    check_visits(length(X), int64_t(X.shape(1)), y, weight, order, begin, w, drift, corrected);
    std::pair<int64_t, int64_t> end;
    {
        nb::gil_scoped_release unlocked;
        const DenseRows rows{X.data(), int64_t(X.shape(1))};
        end = walk(rows, y.data(), data_or_null(weight), order.data(), begin, int64_t(order.size()), rule, w.data(),
                   data_or_null(drift), visits, corrected.data());
    }
    return nb::make_tuple(end.first, end.second);
}

template <class I>
nb::tuple sparse(In1<double> data, In1<I> indices, In1<I> indptr,  // in  the CSR matrix
                 In1<double> y, In1<double> weight, In1<int64_t> order, int64_t begin, const Rule &rule,
                 InOut1<double> w, InOut1<double> drift, int64_t visits, InOut1<int64_t> corrected) {
    require(are_rows(data, indices, indptr, length(y), length(w) - 1),
            "perceptron: these are no sparse rows of the columns");
    check_visits(length(y), length(w) - 1, y, weight, order, begin, w, drift, corrected);
    std::pair<int64_t, int64_t> end;
    {
        nb::gil_scoped_release unlocked;
        const SparseRows<I> rows{data.data(), indices.data(), indptr.data()};
        end = walk(rows, y.data(), data_or_null(weight), order.data(), begin, int64_t(order.size()), rule, w.data(),
                   data_or_null(drift), visits, corrected.data());
    }
    return nb::make_tuple(end.first, end.second);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Corrections of the perceptron, row by row.";
    record<Rule>(m, "Rule", field("rate", &Rule::rate), field("margin", &Rule::margin),
                 field("tie_is_mistake", &Rule::tie_is_mistake), field("bias", &Rule::bias),
                 field("limit", &Rule::limit));
    define(m, "dense", &dense, "X", "y", "weight", "order", "begin", "rule", "w", "drift", "visits", "corrected");
    define(m, "sparse", &sparse<int32_t>, "data", "indices", "indptr", "y", "weight", "order", "begin", "rule", "w",
           "drift", "visits", "corrected");
    define(m, "sparse", &sparse<int64_t>, "data", "indices", "indptr", "y", "weight", "order", "begin", "rule", "w",
           "drift", "visits", "corrected");
}
