// Pairwise ranking: visit pairs of rows one after the other and correct those that stand wrongly.
//
//     if w . (x_u - x_v) <= margin:    w += rate (x_u - x_v),    trail += t rate (x_u - x_v)
//
// t counts the visits before this one, so that after T visits the mean of the weights over all of them is w - trail / T.
// Row u of a pair should rank above row v. Checked by the caller: valid row numbers, finite X.
// Twin in NumPy: tests/linear/test_pairwise_ranker.py, pass_by_the_book.
#include "assay/array.hpp"

using namespace assay;

namespace {

HOT int64_t run(View2<const double> X,        // in      (n, d)
                View2<const int32_t> pairs,   // in      (m, 2)  rows u and v, side by side: one visit, one cache line
                double rate, double margin,
                int64_t visits,               // in      visits before this call
                View1<double> w,              // in/out  (d,)
                View1<double> trail) {        // in/out  (d,)
    const int64_t d = X.cols();
    int64_t corrections = 0;
    for (int64_t t = 0; t < pairs.rows(); ++t) {
        const double *u = X.row(pairs.row(t)[0]), *v = X.row(pairs.row(t)[1]);
        double gap = 0.0;                                             // gap = w @ (u - v)
        for (int64_t j = 0; j < d; ++j) gap += w[j] * (u[j] - v[j]);
        if (gap > margin) continue;                                   // a tie counts, or a zero start never moves
        const double late = double(visits + t);
        for (int64_t j = 0; j < d; ++j) {                             // w += rate * (u - v); trail += late * same
            const double step = rate * (u[j] - v[j]);
            w[j] += step;
            trail[j] += late * step;
        }
        ++corrections;
    }
    return corrections;
}

int64_t correct(In2<double> X, In2<int32_t> pairs, double rate, double margin, int64_t visits, InOut1<double> w,
                InOut1<double> trail) {
    require(pairs.shape(1) == 2 && w.shape(0) == X.shape(1) && trail.shape(0) == X.shape(1),
            "pairs or weights of another length");
    nb::gil_scoped_release unlocked;
    return run(view(X), view(pairs), rate, margin, visits, view(w), view(trail));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Corrections of pairs that stand in the wrong order.";
    m.def("correct", &correct, nb::arg("X"), nb::arg("pairs"), nb::arg("rate"), nb::arg("margin"), nb::arg("visits"),
          nb::arg("w").noconvert(), nb::arg("trail").noconvert(),
          "Visit pairs in order; returns how many were corrected.");
}
