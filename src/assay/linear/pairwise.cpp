// Pairwise ranking: visit pairs of rows in a given order and correct those that stand wrongly.
//
//     if w . (x_u - x_v) <= margin:    w += rate (x_u - x_v),    trail += t rate (x_u - x_v)
//
// t counts the visits before this one, so that after T visits the mean of the weights over all of them is w - trail / T.
// Row u of a pair should rank above row v. Checked by the caller: valid row and pair numbers, finite X.
// Twin in NumPy: tests/linear/test_pairwise_ranker.py, pass_by_the_book.
#include "assay/array.hpp"

using namespace assay;

namespace {

HOT int64_t run(View2<const double> X,        // in      (n, d)
                View1<const int64_t> above,   // in      (m,)  row u of each pair
                View1<const int64_t> below,   // in      (m,)  row v of each pair
                View1<const int64_t> order,   // in      (k,)  pairs to visit
                double rate, double margin,
                int64_t visits,               // in      visits before this call
                View1<double> w,              // in/out  (d,)
                View1<double> trail) {        // in/out  (d,)
    const int64_t d = X.cols();
    int64_t corrections = 0;
    for (int64_t t = 0; t < order.size(); ++t) {
        const double *u = X.row(above[order[t]]), *v = X.row(below[order[t]]);
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

int64_t correct(In2<double> X, In1<int64_t> above, In1<int64_t> below, In1<int64_t> order, double rate,
                double margin, int64_t visits, InOut1<double> w, InOut1<double> trail) {
    require(below.shape(0) == above.shape(0) && w.shape(0) == X.shape(1) && trail.shape(0) == X.shape(1),
            "pairs or weights of another length");
    nb::gil_scoped_release unlocked;
    return run(view(X), view(above), view(below), view(order), rate, margin, visits, view(w), view(trail));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Corrections of pairs that stand in the wrong order.";
    m.def("correct", &correct, nb::arg("X"), nb::arg("above"), nb::arg("below"), nb::arg("order"), nb::arg("rate"),
          nb::arg("margin"), nb::arg("visits"), nb::arg("w").noconvert(), nb::arg("trail").noconvert(),
          "Visit pairs in order; returns how many were corrected.");
}
