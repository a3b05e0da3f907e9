// Per-class sums of one block of rows, about a shift that keeps them small.
//
//     count_k = sum w_i,   first_kj = sum w_i (x_ij - s_kj),   second_kj = sum w_i (x_ij - s_kj)^2
//
// over the rows i of class k. A NaN in column j leaves cell (k, j) untouched and adds
// nothing to seen_kj = sum of w_i over the rows whose x_ij is there.
//
// Checked by the caller: X is C-ordered, y in 0..K-1, w >= 0, all outputs zeroed.
// Twin in NumPy: tests/core/test_moments.py, sums_by_the_book.
#include <cmath>

#include "assay/array.hpp"

using namespace assay;

namespace {

template <class T, bool missing>
static inline void add_rows(View2<const T> X, const int64_t *y, const double *w, const double *shift,
                            double *count, double *first, double *second, double *seen) {
    const int64_t n = X.rows(), d = X.cols();
    for (int64_t i = 0; i < n; ++i) {
        const T *x = X.row(i);
        const int64_t k = y[i] * d;
        const double wi = w ? w[i] : 1.0;
        const double *s = shift + k;
        double *f = first + k, *q = second + k, *m = seen + k;
        count[y[i]] += wi;
        for (int64_t j = 0; j < d; ++j) {
            double v = double(x[j]) - s[j];
            if (missing) {
                const bool there = v == v;
                m[j] += there ? wi : 0.0;
                v = there ? v : 0.0;
            }
            f[j] += wi * v;  // first += w (x - s)
            q[j] += wi * v * v;  // second += w (x - s)^2
        }
    }
}

HOT void add_f64(View2<const double> X, const int64_t *y, const double *w, const double *s, double *c, double *f,
                 double *q, double *m) {
    if (m) add_rows<double, true>(X, y, w, s, c, f, q, m);
    else add_rows<double, false>(X, y, w, s, c, f, q, m);
}

HOT void add_f32(View2<const float> X, const int64_t *y, const double *w, const double *s, double *c, double *f,
                 double *q, double *m) {
    if (m) add_rows<float, true>(X, y, w, s, c, f, q, m);
    else add_rows<float, false>(X, y, w, s, c, f, q, m);
}

void sums_f64(In2<double> X,            // in      (n, d)
              In1<int64_t> y,           // in      (n,)     class codes
              In1<double> w,            // in      (n,) or (0,) for ones
              In2<double> shift,        // in      (K, d)
              InOut1<double> count,     // in/out  (K,)
              InOut2<double> first,     // in/out  (K, d)
              InOut2<double> second,    // in/out  (K, d)
              InOut2<double> seen) {    // in/out  (K, d), or (0, d) when nothing is missing
    nb::gil_scoped_release unlocked;
    add_f64(view(X), y.data(), w.size() ? w.data() : nullptr, shift.data(), count.data(), first.data(),
            second.data(), seen.size() ? seen.data() : nullptr);
}

void sums_f32(In2<float> X, In1<int64_t> y, In1<double> w, In2<double> shift, InOut1<double> count,
              InOut2<double> first, InOut2<double> second, InOut2<double> seen) {
    nb::gil_scoped_release unlocked;
    add_f32(view(X), y.data(), w.size() ? w.data() : nullptr, shift.data(), count.data(), first.data(),
            second.data(), seen.size() ? seen.data() : nullptr);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.def("sums", &sums_f64);
    m.def("sums", &sums_f32);
}
