// Pairwise ranking: visit pairs of rows one after the other and correct those that stand wrongly.
//
//     if w . (x_u - x_v) <= margin:    w += rate (x_u - x_v),    trail += t rate (x_u - x_v)
//
// t counts the visits before this one, so that after T visits the mean of the weights over all of them is w - trail /
// T. Row u of a pair should rank above row v. Checked by the caller: finite X. Twin in NumPy:
// tests/linear/ranking/test_pairwise_ranker.py, pass_by_the_book.
#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

HOT int64_t run(View2<const double> X,        // in      (n, d)
                View2<const int32_t> pairs,  // in      (m, 2)  rows u and v, side by side: one visit, one cache line
                double rate, double margin,
                int64_t visits,  // in      visits before this call
                View1<double> w,  // in/out  (d,)
                View1<double> trail) {  // in/out  (d,)
    const int64_t d = X.cols();
    int64_t corrections = 0;
    for (int64_t t = 0; t < pairs.rows(); ++t) {
        const double *u = X.row(pairs.row(t)[0]), *v = X.row(pairs.row(t)[1]);
        double gap = 0.0;  // gap = w @ (u - v)
        for (int64_t j = 0; j < d; ++j) gap += w[j] * (u[j] - v[j]);
        if (gap > margin) continue;  // a tie counts, or a zero start never moves
        const double late = double(visits + t);
        for (int64_t j = 0; j < d; ++j) {  // w += rate * (u - v); trail += late * same
            const double step = rate * (u[j] - v[j]);
            w[j] += step;
            trail[j] += late * step;
        }
        ++corrections;
    }
    return corrections;
}

// w . x and x += factor * row of a sparse row: values at columns, between two ends.
inline double dot(const double *w, const double *value, const int32_t *column, int64_t from, int64_t to) {
    double sum = 0.0;
    for (int64_t p = from; p < to; ++p) sum += w[column[p]] * value[p];
    return sum;
}

inline void add(double *w, double factor, const double *value, const int32_t *column, int64_t from, int64_t to) {
    for (int64_t p = from; p < to; ++p) w[column[p]] += factor * value[p];
}

int64_t run_sparse(View1<const double> value,  // in      (z,)     entries that are not 0
                   View1<const int32_t> column,  // in      (z,)     their columns
                   View1<const int64_t> start,  // in      (n + 1,) where each row begins
                   View2<const int32_t> pairs,  // in      (m, 2)
                   double rate, double margin, int64_t visits, View1<double> w, View1<double> trail) {
    const double *x = value.data();
    const int32_t *j = column.data();
    int64_t corrections = 0;
    for (int64_t t = 0; t < pairs.rows(); ++t) {
        const int64_t u = pairs.row(t)[0], v = pairs.row(t)[1];
        const double gap = dot(w.data(), x, j, start[u], start[u + 1]) - dot(w.data(), x, j, start[v], start[v + 1]);
        if (gap > margin) continue;
        const double late = double(visits + t) * rate;
        add(w.data(), rate, x, j, start[u], start[u + 1]);
        add(w.data(), -rate, x, j, start[v], start[v + 1]);
        add(trail.data(), late, x, j, start[u], start[u + 1]);
        add(trail.data(), -late, x, j, start[v], start[v + 1]);
        ++corrections;
    }
    return corrections;
}

int64_t correct_sparse(In1<double> value, In1<int32_t> column, In1<int64_t> start, In2<int32_t> pairs, double rate,
                       double margin, int64_t visits, InOut1<double> w, InOut1<double> trail) {
    require(pairs.shape(1) == 2 && w.shape(0) == trail.shape(0) && value.shape(0) == column.shape(0),
            "pairs, weights or entries of another length");
    require(are_rows(value, column, start, length(start) - 1, length(w)) && within(pairs, 0, length(start) - 1),
            "pairs of rows, or columns of entries, that are not there");
    nb::gil_scoped_release unlocked;
    return run_sparse(view(value), view(column), view(start), view(pairs), rate, margin, visits, view(w), view(trail));
}

int64_t correct(In2<double> X, In2<int32_t> pairs, double rate, double margin, int64_t visits, InOut1<double> w,
                InOut1<double> trail) {
    require(pairs.shape(1) == 2 && w.shape(0) == X.shape(1) && trail.shape(0) == X.shape(1),
            "pairs or weights of another length");
    require(within(pairs, 0, length(X)), "pairs of rows that are not there");
    nb::gil_scoped_release unlocked;
    return run(view(X), view(pairs), rate, margin, visits, view(w), view(trail));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Corrections of pairs that stand in the wrong order.";
    define(m, "correct", &correct, "X", "pairs", "rate", "margin", "visits", "w", "trail");
    define(m, "correct_sparse", &correct_sparse, "value", "column", "start", "pairs", "rate", "margin", "visits", "w",
           "trail");
}
