// Generalised linear models with a log link: half the deviance of a block of rows, less what depends on y alone, and
// its gradient, in one look at each row. The variance is a power p of the mean.
//
//     eta_i = b + o_i + sum_j x_ij w_j,    mu = exp(eta),    r_i = v_i (mu_i - y_i) mu_i^(1 - p)
//     loss_i = v_i (mu^(2-p) / (2 - p) - y mu^(1-p) / (1 - p));   p = 1: mu - y eta;   p = 2: y / mu + eta
//     G = X'r, and the sum of r behind it
//
// A linear predictor beyond +-709 counts as if it stood there; the sum is then infinite or nearly so.
//
// `curvature` also adds up Fisher's information in columns of mean 0 and spread 1, u_ij = (x_ij - m_j) / s_j with a 1
// at the end for a constant, and there the loss is half the deviance itself:
//
//     H = sum_i v_i mu_i^(2-p) u_i u_i'
//
// Checked by the caller: finite X, y, weights and offsets, shapes that fit; empty weights are ones, empty offsets
// zeros. Twin in NumPy: tests/linear/generalized/test_deviance_objective.py, by_the_book.
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"
#include "assay/tiles.hpp"

using namespace assay;

namespace {

// Linear predictors of one tile become residuals. Returns the loss. One loop for each step, so that compilers turn each
// into vector code; the terms of the loss are added up behind them.
INLINE double tile(double *z, const double *y, const double *v, int64_t rows, double p) {
    double low[TILE], high[TILE], loss[TILE];
    if (p == 1.0) {
        for (int64_t i = 0; i < rows; ++i) high[i] = exponential(z[i]);
        for (int64_t i = 0; i < rows; ++i) {
            loss[i] = high[i] - y[i] * z[i];
            z[i] = high[i] - y[i];
        }
    } else if (p == 2.0) {
        for (int64_t i = 0; i < rows; ++i) low[i] = y[i] * exponential(-z[i]);
        for (int64_t i = 0; i < rows; ++i) {
            loss[i] = low[i] + z[i];
            z[i] = 1.0 - low[i];
        }
    } else {
        for (int64_t i = 0; i < rows; ++i) low[i] = y[i] * exponential((1.0 - p) * z[i]);
        for (int64_t i = 0; i < rows; ++i) high[i] = exponential((2.0 - p) * z[i]);
        for (int64_t i = 0; i < rows; ++i) {
            loss[i] = high[i] / (2.0 - p) - low[i] / (1.0 - p);
            z[i] = high[i] - low[i];
        }
    }
    if (v)
        for (int64_t i = 0; i < rows; ++i) loss[i] *= v[i], z[i] *= v[i];
    return total(loss, rows);
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
        G[d] += total(z, rows);
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

// Half the deviance of one tile; linear predictors become residuals, h the weights of Fisher's information. `own` is
// ln y where p is 1 or 2, else y^(2-p) / ((1 - p) (2 - p)).
INLINE double curved_tile(double *z, const double *y, const double *v, const double *own, int64_t rows, double p,
                          double *h) {
    double low[TILE], loss[TILE];
    if (p == 1.0) {
        for (int64_t i = 0; i < rows; ++i) h[i] = exponential(z[i]);
        for (int64_t i = 0; i < rows; ++i) {
            loss[i] = y[i] > 0.0 ? y[i] * (own[i] - z[i]) - (y[i] - h[i]) : h[i];
            z[i] = h[i] - y[i];
        }
    } else if (p == 2.0) {
        for (int64_t i = 0; i < rows; ++i) low[i] = y[i] * exponential(-z[i]);
        for (int64_t i = 0; i < rows; ++i) {
            loss[i] = low[i] - 1.0 + (z[i] - own[i]);
            z[i] = 1.0 - low[i];
            h[i] = 1.0;
        }
    } else {
        for (int64_t i = 0; i < rows; ++i) low[i] = y[i] * exponential((1.0 - p) * z[i]);
        for (int64_t i = 0; i < rows; ++i) h[i] = exponential((2.0 - p) * z[i]);
        for (int64_t i = 0; i < rows; ++i) {
            loss[i] = h[i] / (2.0 - p) - low[i] / (1.0 - p) + own[i];
            z[i] = h[i] - low[i];
        }
    }
    if (v)
        for (int64_t i = 0; i < rows; ++i) loss[i] *= v[i], z[i] *= v[i], h[i] *= v[i];
    return total(loss, rows);
}

// H += B' diag(h) B for the rows of a tile, `wide` numbers each, in lanes: what is below the diagonal's lane is left
// out.
INLINE void add_products(const double *B, const double *h, int64_t rows, int64_t wide, double *H) {
    for (int64_t k = 0; k < wide; k += LANES) {
        Lane right[TILE];
        for (int64_t i = 0; i < rows; ++i) {
            load(right[i], B + i * wide + k);
            right[i] *= h[i];
        }
        for (int64_t j = 0; j <= k; j += LANES) {
            Lane s[LANES];
            for (int64_t t = 0; t < LANES; ++t) load(s[t], H + (j + t) * wide + k);
            for (int64_t i = 0; i < rows; ++i)
                for (int64_t t = 0; t < LANES; ++t) s[t] += B[i * wide + j + t] * right[i];
            for (int64_t t = 0; t < LANES; ++t) *reinterpret_cast<Lane *>(H + (j + t) * wide + k) = s[t];
        }
    }
}

template <class T>
INLINE double curved_pass(const T *X, int64_t n, int64_t d, const double *y, const double *v, const double *own,
                          const double *offset, const double *coef, double intercept, double p, const double *mean,
                          const double *inverse, double *G, double *H, int64_t wide, double *B) {
    double loss = 0.0, z[TILE], h[TILE];
    for (int64_t a = 0; a < n; a += TILE) {
        const int64_t rows = n - a < TILE ? n - a : TILE;
        dots(X + a * d, rows, d, coef, z);
        for (int64_t i = 0; i < rows; ++i) z[i] += intercept + (offset ? offset[a + i] : 0.0);
        loss += curved_tile(z, y + a, v ? v + a : nullptr, own + a, rows, p, h);
        pull(X + a * d, rows, d, z, G);
        G[d] += total(z, rows);
        for (int64_t i = 0; i < rows; ++i) {
            for (int64_t j = 0; j < d; ++j) B[i * wide + j] = (double(X[(a + i) * d + j]) - mean[j]) * inverse[j];
            B[i * wide + d] = 1.0;
        }
        add_products(B, h, rows, wide, H);
    }
    return loss;
}

HOT double curved_f64(const double *X, int64_t n, int64_t d, const double *y, const double *v, const double *own,
                      const double *offset, const double *coef, double intercept, double p, const double *mean,
                      const double *inverse, double *G, double *H, int64_t wide, double *B) {
    return curved_pass(X, n, d, y, v, own, offset, coef, intercept, p, mean, inverse, G, H, wide, B);
}
HOT double curved_f32(const float *X, int64_t n, int64_t d, const double *y, const double *v, const double *own,
                      const double *offset, const double *coef, double intercept, double p, const double *mean,
                      const double *inverse, double *G, double *H, int64_t wide, double *B) {
    return curved_pass(X, n, d, y, v, own, offset, coef, intercept, p, mean, inverse, G, H, wide, B);
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

// Where the columns lie, and where the model stands.
struct Point {
    In1<double> coef;  // (d,)
    double intercept, power;
    In1<double> mean, spread;  // (d,)
    void check() const { require(length(mean) == length(coef) && length(spread) == length(coef), "Point: sizes"); }
};

template <class T>
double curvature(In2<T> X,               // in      (n, d)
                 In1<double> y,          // in      (n,)
                 In1<double> own,        // in      (n,)
                 In1<double> v,          // in      (n,) weights, or empty
                 In1<double> offset,     // in      (n,) or empty
                 const Point &point,
                 InOut1<double> G,       // in/out  (d + 1,) the gradient is added, the intercept's last
                 InOut2<double> H) {     // in/out  (d + 1, d + 1) the information is added, both triangles
    const int64_t n = X.shape(0), d = X.shape(1), wide = (d + LANES) / LANES * LANES;
    require(length(y) == n && length(own) == n && weighs(v, n) && weighs(offset, n), "curvature: rows");
    require(length(point.coef) == d && length(G) == d + 1, "curvature: columns");
    require(int64_t(H.shape(0)) == d + 1 && int64_t(H.shape(1)) == d + 1, "curvature: information");
    nb::gil_scoped_release unlocked;
    std::vector<double> B(size_t(TILE * wide), 0.0), sum(size_t(wide * wide), 0.0), inverse(size_t(d), 0.0);
    for (int64_t j = 0; j < d; ++j) inverse[size_t(j)] = 1.0 / point.spread.data()[j];
    const double *coef = point.coef.data(), *mean = point.mean.data(), *each = inverse.data();
    double loss;
    if constexpr (sizeof(T) == 8)
        loss = curved_f64(X.data(), n, d, y.data(), some(v), own.data(), some(offset), coef, point.intercept,
                          point.power, mean, each, G.data(), sum.data(), wide, B.data());
    else
        loss = curved_f32(X.data(), n, d, y.data(), some(v), own.data(), some(offset), coef, point.intercept,
                          point.power, mean, each, G.data(), sum.data(), wide, B.data());
    for (int64_t j = 0; j <= d; ++j)
        for (int64_t k = 0; k <= d; ++k) H.data()[j * (d + 1) + k] += sum[size_t(j <= k ? j * wide + k : k * wide + j)];
    return loss;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "loss_gradient", &loss_gradient<double>, "X", "y", "v", "offset", "coef", "intercept", "power", "G");
    define(m, "loss_gradient", &loss_gradient<float>, "X", "y", "v", "offset", "coef", "intercept", "power", "G");
    record<Point>(m, "Point", field("coef", &Point::coef), field("intercept", &Point::intercept),
                  field("power", &Point::power), field("mean", &Point::mean), field("spread", &Point::spread));
    define(m, "curvature", &curvature<double>, "X", "y", "own", "v", "offset", "point", "G", "H");
    define(m, "curvature", &curvature<float>, "X", "y", "own", "v", "offset", "point", "G", "H");
}
