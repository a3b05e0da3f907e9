// Log joint density of rows and classes when columns are independent Gaussians in each class.
//
//     out_ik = offset_k - 1/2 sum_j (x_ij - mean_kj)^2 precision_kj
//
// The difference is taken before it is squared, so nothing cancels however far the data lie from zero. A sum has
// LANES running parts, one a register lane, added in a fixed order, so a row's answer does not depend on its
// neighbours. Of narrow tables, TILE rows are turned on their side at a time, and lanes are rows.
//
// Checked by the caller: finite C-ordered X, positive finite precision, shapes that fit.
// Twin in NumPy: tests/bayes/test_gaussian_nb.py, log_joint_by_the_book.
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t TILE = 32, LANES = 8, NARROW = 16;

template <class T>
static inline void wide_rows(View2<const T> X, const double *mean, const double *precision, const double *offset,
                             int64_t K, double *out) {
    const int64_t n = X.rows(), d = X.cols(), width = (d + LANES - 1) / LANES * LANES;
    std::vector<double> m(K * width, 0.0), p(K * width, 0.0), x(width, 0.0);  // columns of precision 0 fill up
    for (int64_t k = 0; k < K; ++k)
        for (int64_t j = 0; j < d; ++j) m[k * width + j] = mean[k * d + j], p[k * width + j] = precision[k * d + j];
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < d; ++j) x[j] = double(X.row(i)[j]);
        for (int64_t k = 0; k < K; ++k) {
            const double *mk = m.data() + k * width, *pk = p.data() + k * width, *xi = x.data();
            double sum[LANES] = {0.0};
            for (int64_t j = 0; j < width; j += LANES)
                for (int64_t l = 0; l < LANES; ++l) {  // sum += (x - mean)^2 precision
                    const double v = xi[j + l] - mk[j + l];
                    sum[l] += v * v * pk[j + l];
                }
            const double even = (sum[0] + sum[4]) + (sum[2] + sum[6]), odd = (sum[1] + sum[5]) + (sum[3] + sum[7]);
            out[i * K + k] = offset[k] - 0.5 * (even + odd);
        }
    }
}

template <class T>
static inline void narrow_rows(View2<const T> X, const double *mean, const double *precision, const double *offset,
                               int64_t K, double *out) {
    const int64_t n = X.rows(), d = X.cols();
    std::vector<double> tile(d * TILE);
    double sum[TILE];
    for (int64_t a = 0; a < n; a += TILE) {
        const int64_t m = n - a < TILE ? n - a : TILE;
        for (int64_t r = 0; r < TILE; ++r) {  // tile = X[a : a + m].T; the last rows repeat to fill it
            const T *x = X.row(a + (r < m ? r : m - 1));
            for (int64_t j = 0; j < d; ++j) tile[j * TILE + r] = double(x[j]);
        }
        for (int64_t k = 0; k < K; ++k) {
            for (int64_t r = 0; r < TILE; ++r) sum[r] = 0.0;
            for (int64_t j = 0; j < d; ++j) {
                const double centre = mean[k * d + j], p = precision[k * d + j], *x = tile.data() + j * TILE;
                for (int64_t r = 0; r < TILE; ++r) {  // sum += (x - mean)^2 precision
                    const double v = x[r] - centre;
                    sum[r] += v * v * p;
                }
            }
            for (int64_t r = 0; r < m; ++r) out[(a + r) * K + k] = offset[k] - 0.5 * sum[r];
        }
    }
}

HOT void rows_f64(View2<const double> X, const double *m, const double *p, const double *c, int64_t K, double *out) {
    if (X.cols() < NARROW) narrow_rows<double>(X, m, p, c, K, out);
    else wide_rows<double>(X, m, p, c, K, out);
}

HOT void rows_f32(View2<const float> X, const double *m, const double *p, const double *c, int64_t K, double *out) {
    if (X.cols() < NARROW) narrow_rows<float>(X, m, p, c, K, out);
    else wide_rows<float>(X, m, p, c, K, out);
}

template <class T, auto run>
void log_joint(In2<T> X,                     // in   (n, d)
               In2<double> mean,             // in   (K, d)
               In2<double> precision,        // in   (K, d)
               In1<double> offset,           // in   (K,)     may be -inf
               InOut2<double> out) {         // out  (n, K)
    const auto n = X.shape(0), d = X.shape(1), K = offset.shape(0);
    require(mean.shape(0) == K && mean.shape(1) == d && precision.shape(0) == K && precision.shape(1) == d &&
                out.shape(0) == n && out.shape(1) == K,
            "log_joint: means and precisions must have a row for each class and a column for each of X");
    nb::gil_scoped_release unlocked;
    run(view(X), mean.data(), precision.data(), offset.data(), int64_t(offset.shape(0)), out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "log_joint", &log_joint<double, rows_f64>, "X", "mean", "precision", "offset", "out");
    define(m, "log_joint", &log_joint<float, rows_f32>, "X", "mean", "precision", "offset", "out");
}
