// Per-class moments of one block of rows.
//
//     count_k = sum w_i,   mean_kj = sum w_i x_ij / count_k,   scatter_kj = sum w_i (x_ij - mean_kj)^2
//
// over the rows i of class k, in one pass about a point s_k near the class (the mean of its first HEAD rows):
//
//     first = sum w (x - s),  second = sum w (x - s)^2;   mean = s + first / n,  scatter = second - first^2 / n
//
// By Cauchy-Schwarz n (mean - s)^2 <= scatter n / HEAD, so the subtraction loses a bounded number of digits
// whatever the data, and a column that is constant in a class has x - s = 0 and a scatter of exactly 0. A NaN
// in column j adds nothing to cell (k, j), nor to seen_kj. A row of weight zero is not there.
//
// Checked by the caller: w >= 0, no infinity in X, all outputs zeroed.
// Twin in NumPy: tests/core/test_moments.py, sums_by_the_book and grouped_by_the_book.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t HEAD = 32;  // rows whose mean is the shift

// shift_k: near the rows of class k; NaN where class k has no row, or the head of a column nothing but NaN.
template <class T, bool missing>
static inline void find_shift(View2<const T> X, const int64_t *y, const double *w, int64_t K, double *shift) {
    const int64_t n = X.rows(), d = X.cols();
    std::vector<int64_t> taken(K, 0);
    std::vector<double> sum(K * d, 0.0), there(missing ? K * d : 0, 0.0);
    for (int64_t t = 0; t < K * d; ++t) shift[t] = NAN;
    for (int64_t i = 0, open = K; i < n && open; ++i) {
        const int64_t k = y[i];
        if (taken[k] == HEAD || (w && w[i] == 0.0)) continue;
        const T *x = X.row(i);
        double *s = shift + k * d, *f = sum.data() + k * d;
        if (++taken[k] == HEAD) --open;
        if (taken[k] == 1)
            for (int64_t j = 0; j < d; ++j) s[j] = double(x[j]);  // the first row is the reference
        for (int64_t j = 0; j < d; ++j) {
            if (missing) {
                if (x[j] != x[j]) continue;
                if (s[j] != s[j]) s[j] = double(x[j]);
                there[k * d + j] += 1.0;
            }
            f[j] += double(x[j]) - s[j];
        }
    }
    for (int64_t k = 0; k < K; ++k)
        for (int64_t j = 0, t = k * d; j < d; ++j, ++t) {
            const double m = missing ? there[t] : double(taken[k]);
            if (m > 0.0) shift[t] += sum[t] / m;
        }
}

template <class T, bool missing>
static inline void moments(View2<const T> X, const int64_t *y, const double *w, int64_t K, double *count, double *seen,
                           double *mean, double *low, double *scatter) {
    const int64_t n = X.rows(), d = X.cols();
    std::vector<double> shift(K * d), sum(K * d, 0.0);
    find_shift<T, missing>(X, y, w, K, shift.data());
    for (int64_t i = 0; i < n; ++i) {
        const double wi = w ? w[i] : 1.0;
        if (wi == 0.0) continue;
        const T *x = X.row(i);
        const int64_t k = y[i] * d;
        double *s = shift.data() + k, *f = sum.data() + k, *q = scatter + k, *m = missing ? seen + k : nullptr;
        count[y[i]] += wi;
        for (int64_t j = 0; j < d; ++j) {
            if (missing && s[j] != s[j]) s[j] = double(x[j]);  // the column's first value comes late
            double v = double(x[j]) - s[j];
            if (missing) {
                const bool here = v == v;
                m[j] += here ? wi : 0.0;
                v = here ? v : 0.0;
            }
            f[j] += wi * v;  // first += w (x - s)
            q[j] += wi * v * v;  // second += w (x - s)^2
        }
    }
    for (int64_t k = 0; k < K; ++k)
        for (int64_t j = 0, t = k * d; j < d; ++j, ++t) {
            const double m = missing ? seen[t] : count[k];
            if (!(m > 0.0)) continue;
            const double offset = sum[t] / m, rest = scatter[t] - sum[t] * offset;
            const double both = shift[t] + offset, part = both - shift[t];
            mean[t] = both;
            low[t] = (shift[t] - (both - part)) + (offset - part);  // mean + low = shift + offset, exactly
            scatter[t] = rest < 0.0 ? 0.0 : rest;  // an overflow stays visible as inf or NaN
        }
}

HOT void moments_f64(View2<const double> X, const int64_t *y, const double *w, int64_t K, double *c, double *m,
                     double *mean, double *low, double *scatter, bool missing) {
    if (missing) moments<double, true>(X, y, w, K, c, m, mean, low, scatter);
    else moments<double, false>(X, y, w, K, c, m, mean, low, scatter);
}

HOT void moments_f32(View2<const float> X, const int64_t *y, const double *w, int64_t K, double *c, double *m,
                     double *mean, double *low, double *scatter, bool missing) {
    if (missing) moments<float, true>(X, y, w, K, c, m, mean, low, scatter);
    else moments<float, false>(X, y, w, K, c, m, mean, low, scatter);
}

// The rows of each class side by side, moved to s_k and scaled by the root of their weight:
//     Z[start_k ... start_k + rows_k) = sqrt(w) (x - s_k),   first_k = sum w (x - s_k)
template <class T>
static inline void grouped(View2<const T> X, const int64_t *y, const double *w, int64_t K, double *count, int64_t *rows,
                           double *shift, double *first, double *Z) {
    const int64_t n = X.rows(), d = X.cols();
    find_shift<T, false>(X, y, w, K, shift);
    for (int64_t i = 0; i < n; ++i) rows[y[i]] += !w || w[i] != 0.0;
    std::vector<int64_t> next(K, 0);
    for (int64_t k = 1; k < K; ++k) next[k] = next[k - 1] + rows[k - 1];
    for (int64_t i = 0; i < n; ++i) {
        const double wi = w ? w[i] : 1.0;
        if (wi == 0.0) continue;
        const int64_t k = y[i];
        const T *x = X.row(i);
        const double *s = shift + k * d, root = std::sqrt(wi);
        double *f = first + k * d, *z = Z + d * next[k]++;
        count[k] += wi;
        for (int64_t j = 0; j < d; ++j) {
            const double v = double(x[j]) - s[j];
            f[j] += wi * v;
            z[j] = root * v;
        }
    }
}

HOT void grouped_f64(View2<const double> X, const int64_t *y, const double *w, int64_t K, double *c, int64_t *r,
                     double *s, double *f, double *Z) {
    grouped<double>(X, y, w, K, c, r, s, f, Z);
}

HOT void grouped_f32(View2<const float> X, const int64_t *y, const double *w, int64_t K, double *c, int64_t *r,
                     double *s, double *f, double *Z) {
    grouped<float>(X, y, w, K, c, r, s, f, Z);
}

bool fits(const InOut2<double> &a, int64_t K, int64_t d) {
    return int64_t(a.shape(0)) == K && int64_t(a.shape(1)) == d;
}

void check_rows(const In1<int64_t> &y, const In1<double> &w, int64_t n, int64_t K) {
    require(length(y) == n && weighs(w, n), "moments: a class, and a weight or none, for each row");
    require(within(y, 0, K), "moments: a class that there is no place for");
}

template <class T, auto run>
void sums(In2<T> X,                    // in   (n, d)
          In1<int64_t> y,              // in   (n,)     class codes
          In1<double> w,               // in   (n,) or (0,) for ones
          InOut1<double> count,        // out  (K,)
          InOut2<double> seen,         // out  (K, d), or (0, d) when nothing is missing
          InOut2<double> mean,         // out  (K, d)
          InOut2<double> low,          // out  (K, d)   what did not fit into mean
          InOut2<double> scatter) {    // out  (K, d)
    const int64_t K = length(count), d = int64_t(X.shape(1));
    check_rows(y, w, length(X), K);
    require((seen.size() == 0 || fits(seen, K, d)) && fits(mean, K, d) && fits(low, K, d) && fits(scatter, K, d),
            "moments: a place for each class and column");
    nb::gil_scoped_release unlocked;
    run(view(X), y.data(), w.size() ? w.data() : nullptr, int64_t(count.shape(0)), count.data(), seen.data(),
        mean.data(), low.data(), scatter.data(), seen.size() > 0);
}

template <class T, auto run>
void group(In2<T> X,                   // in   (n, d)
           In1<int64_t> y,             // in   (n,)
           In1<double> w,              // in   (n,) or (0,)
           InOut1<double> count,       // out  (K,)
           InOut1<int64_t> rows,       // out  (K,)
           InOut2<double> shift,       // out  (K, d)
           InOut2<double> first,       // out  (K, d)
           InOut2<double> Z) {         // out  (n, d)    its first sum(rows) rows
    const int64_t K = length(count), d = int64_t(X.shape(1));
    check_rows(y, w, length(X), K);
    require(length(rows) == K && fits(shift, K, d) && fits(first, K, d) && fits(Z, length(X), d),
            "moments: a place for each class and column, and for each row");
    require(std::all_of(rows.data(), rows.data() + K, [](int64_t r) { return r == 0; }),
            "moments: rows must start at 0");
    nb::gil_scoped_release unlocked;
    run(view(X), y.data(), w.size() ? w.data() : nullptr, int64_t(count.shape(0)), count.data(), rows.data(),
        shift.data(), first.data(), Z.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "sums", &sums<double, moments_f64>, "X", "y", "w", "count", "known", "mean", "low", "scatter");
    define(m, "sums", &sums<float, moments_f32>, "X", "y", "w", "count", "known", "mean", "low", "scatter");
    define(m, "group", &group<double, grouped_f64>, "X", "y", "w", "count", "rows", "shift", "first", "Z");
    define(m, "group", &group<float, grouped_f32>, "X", "y", "w", "count", "rows", "shift", "first", "Z");
}
