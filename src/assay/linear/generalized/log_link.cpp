// Generalised linear models with a log link: half the deviance of a block of rows, less what depends on y alone, and
// its gradient, in one look at each row. The variance is a power p of the mean.
//
//     eta_i = b + o_i + sum_j x_ij w_j,    mu = exp(eta),    r_i = v_i (mu_i - y_i) mu_i^(1 - p)
//     loss_i = v_i (mu^(2-p) / (2 - p) - y mu^(1-p) / (1 - p));   p = 1: mu - y eta;   p = 2: y / mu + eta
//     G = X'r, and the sum of r behind it
//
// A linear predictor beyond +-709 counts as if it stood there; the sum is then infinite or nearly so.
// Checked by the caller: finite X, y, weights and offsets, shapes that fit; empty weights are ones, empty offsets
// zeros. Twin in NumPy: tests/linear/generalized/test_deviance_objective.py, by_the_book.
#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"
#include "assay/tiles.hpp"

using namespace assay;

namespace {

// Linear predictors of one tile become residuals. Returns the loss.
INLINE double tile(double *z, const double *y, const double *v, int64_t rows, double p) {
    double loss = 0.0;
    if (p == 1.0) {
        for (int64_t i = 0; i < rows; ++i) {
            const double weight = v ? v[i] : 1.0, mu = exponential(z[i]);
            loss += weight * (mu - y[i] * z[i]);
            z[i] = weight * (mu - y[i]);
        }
    } else if (p == 2.0) {
        for (int64_t i = 0; i < rows; ++i) {
            const double weight = v ? v[i] : 1.0, ratio = y[i] * exponential(-z[i]);
            loss += weight * (ratio + z[i]);
            z[i] = weight * (1.0 - ratio);
        }
    } else {
        for (int64_t i = 0; i < rows; ++i) {
            const double weight = v ? v[i] : 1.0, low = exponential((1.0 - p) * z[i]),
                         high = exponential((2.0 - p) * z[i]);
            loss += weight * (high / (2.0 - p) - y[i] * low / (1.0 - p));
            z[i] = weight * (high - y[i] * low);
        }
    }
    return loss;
}

template <class T>
INLINE double pass(const T *X, int64_t n, int64_t d, const double *y, const double *v, const double *offset,
                   const double *coef, double intercept, double p, double *G) {
    double loss = 0.0, z[TILE];
    for (int64_t a = 0; a < n; a += TILE) {
        const int64_t rows = n - a < TILE ? n - a : TILE;
        dots(X + a * d, rows, d, coef, z);
        for (int64_t i = 0; i < rows; ++i) z[i] += intercept + (offset ? offset[a + i] : 0.0);
        loss += tile(z, y + a, v ? v + a : nullptr, rows, p);
        pull(X + a * d, rows, d, z, G);
        for (int64_t i = 0; i < rows; ++i) G[d] += z[i];
    }
    return loss;
}

HOT double pass_f64(const double *X, int64_t n, int64_t d, const double *y, const double *v, const double *offset,
                    const double *coef, double intercept, double p, double *G) {
    return pass(X, n, d, y, v, offset, coef, intercept, p, G);
}
HOT double pass_f32(const float *X, int64_t n, int64_t d, const double *y, const double *v, const double *offset,
                    const double *coef, double intercept, double p, double *G) {
    return pass(X, n, d, y, v, offset, coef, intercept, p, G);
}

const double *some(const In1<double> &a) { return a.size() ? a.data() : nullptr; }

template <class T>
double loss_gradient(In2<T> X,               // in      (n, d)
                     In1<double> y,          // in      (n,)
                     In1<double> v,          // in      (n,) weights, or empty
                     In1<double> offset,     // in      (n,) or empty
                     In1<double> coef,       // in      (d,)
                     double intercept, double power,
                     InOut1<double> G) {     // in/out  (d + 1,) the gradient is added, the intercept's last
    const int64_t n = X.shape(0), d = X.shape(1);
    require(length(y) == n && weighs(v, n) && weighs(offset, n) && length(coef) == d && length(G) == d + 1,
            "loss_gradient: shapes do not fit");
    nb::gil_scoped_release unlocked;
    if constexpr (sizeof(T) == 8)
        return pass_f64(X.data(), n, d, y.data(), some(v), some(offset), coef.data(), intercept, power, G.data());
    else return pass_f32(X.data(), n, d, y.data(), some(v), some(offset), coef.data(), intercept, power, G.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "loss_gradient", &loss_gradient<double>, "X", "y", "v", "offset", "coef", "intercept", "power", "G");
    define(m, "loss_gradient", &loss_gradient<float>, "X", "y", "v", "offset", "coef", "intercept", "power", "G");
}
