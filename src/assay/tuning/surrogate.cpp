// The covariance of settings, and its slopes: numbers by a Matern kernel (nu = 5/2), categories by a Gaussian one.
//
//     r^2 = sum over the numbers of (a_j - b_j)^2,    s = sum over the columns of categories of (a_j - b_j)^2
//     k(a, b) = (1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r - s / 2)
//
// Columns are divided by their length scales by the caller; those of numbers come first. With l_j the scale of column
// j,
//
//     l_j dk/dl_j = 5/3 (1 + sqrt(5) r) exp(-sqrt(5) r - s / 2) (a_j - b_j)^2    numbers
//     l_j dk/dl_j = k (a_j - b_j)^2                                              categories
//
// Twin in NumPy: tests/tuning/test_surrogate.py, by_the_book.
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

constexpr double ROOT_5 = 2.23606797749978969641;

// One row against n others, whose column j is b[j * n .. + n]: loops over these, which vector code can take at once.
struct Others {
    std::vector<double> b, r, s;  // the columns, and room for one value of each row
    int64_t n, d, numbers;

    Others(const View2<const double> &B, int64_t numbers_)
        : b(B.rows() * B.cols()), r(B.rows()), s(B.rows()), n(B.rows()), d(B.cols()), numbers(numbers_) {
        for (int64_t t = 0; t < n; ++t)
            for (int64_t j = 0; j < d; ++j) b[j * n + t] = B.row(t)[j];
    }
};

// Of the first m others: sqrt(5) times the distance in the numbers, and exp(-sqrt(5) r - s / 2).
HOT void distances(const double *a, const double *b, int64_t n, int64_t m, int64_t numbers, int64_t d, double *r,
                   double *e) {
    for (int64_t t = 0; t < m; ++t) r[t] = e[t] = 0;
    for (int64_t j = 0; j < d; ++j) {
        double *sum = j < numbers ? r : e;
        for (int64_t t = 0; t < m; ++t) sum[t] += (a[j] - b[j * n + t]) * (a[j] - b[j * n + t]);
    }
    for (int64_t t = 0; t < m; ++t) r[t] = ROOT_5 * std::sqrt(r[t]);
    for (int64_t t = 0; t < m; ++t) e[t] = exponential(-r[t] - e[t] / 2);
}

HOT void add_slopes(const double *a, const double *b, int64_t n, int64_t m, int64_t numbers, int64_t d, const double *w,
                    double *r, double *e, double *sum) {
    for (int64_t t = 0; t < m; ++t) {  // in place: what numbers and what categories count
        const double both = 2 * w[t] * e[t];
        e[t] = both * (1 + r[t] + r[t] * r[t] / 3);
        r[t] = both * (5.0 / 3.0) * (1 + r[t]);
    }
    for (int64_t j = 0; j < d; ++j) {
        const double *counts = j < numbers ? r : e;
        double lane[4] = {0, 0, 0, 0};
        int64_t t = 0;
        for (; t + 4 <= m; t += 4)
            for (int l = 0; l < 4; ++l)
                lane[l] += counts[t + l] * (a[j] - b[j * n + t + l]) * (a[j] - b[j * n + t + l]);
        for (; t < m; ++t) lane[0] += counts[t] * (a[j] - b[j * n + t]) * (a[j] - b[j * n + t]);
        sum[j] += (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
}

void between(In2<double> A,       // in   (m, d)
             In2<double> B,       // in   (n, d)
             int64_t numbers,     // columns of numbers; the others are of categories
             InOut2<double> K) {  // out  (m, n)
    const int64_t m = length(A), n = length(B), d = int64_t(A.shape(1));
    require(int64_t(B.shape(1)) == d, "between: columns of B");
    require(numbers >= 0 && numbers <= d, "between: numbers");
    require(length(K) == m && int64_t(K.shape(1)) == n, "between: shape of K");
    nb::gil_scoped_release unlocked;
    const auto a = view(A);
    const auto k = view(K);
    Others others(view(B), numbers);
    for (int64_t i = 0; i < m; ++i) {
        double *row = k.row(i);
        distances(a.row(i), others.b.data(), n, n, numbers, d, others.r.data(), row);
        for (int64_t t = 0; t < n; ++t) row[t] *= 1 + others.r[t] + others.r[t] * others.r[t] / 3;
    }
}

void slopes(In2<double> A,  // in   (n, d)
            int64_t numbers,
            In2<double> W,       // in   (n, n) symmetric
            InOut1<double> g) {  // out  (d,)   sum_it W_it l_j dk_it/dl_j
    const int64_t n = length(A), d = int64_t(A.shape(1));
    require(numbers >= 0 && numbers <= d, "slopes: numbers");
    require(length(W) == n && int64_t(W.shape(1)) == n, "slopes: shape of W");
    require(length(g) == d, "slopes: length of g");
    nb::gil_scoped_release unlocked;
    const auto a = view(A), w = view(W);
    double *sum = g.data();
    for (int64_t j = 0; j < d; ++j) sum[j] = 0;
    Others others(a, numbers);
    double *b = others.b.data(), *r = others.r.data(), *e = others.s.data();
    for (int64_t i = 1; i < n; ++i) {  // the slope of a row with itself is 0
        distances(a.row(i), b, n, i, numbers, d, r, e);
        add_slopes(a.row(i), b, n, i, numbers, d, w.row(i), r, e, sum);
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Covariances of settings.";
    define(m, "between", &between, "A", "B", "numbers", "K");
    define(m, "slopes", &slopes, "A", "numbers", "W", "g");
}
