// Logistic and softmax regression: the cross-entropy of a block of rows and its gradient, in one look at each row.
//
//     z_ik = b_k + sum_j x_ij W_jk,    p_ik = exp(z_ik - m_i) / s_i,    s_i = sum_k exp(z_ik - m_i),  m_i = max_k z_ik
//     loss = sum_i w_i (m_i + ln s_i - z_i,y_i),    r_ik = w_i (p_ik - [y_i = k]),    G = X'R,   g = 1'R
//
//     two_classes    : the same for K = 2 with z_i0 = 0, so one column of weights
//     few_classes    : up to 16 classes; W and G are padded to 8 or 16 columns
//     residuals      : z -> r (and p) in place, for scores that BLAS or a sparse product has made
//     two_residuals  : the same for two classes, with the curvature w p (1 - p)
//     columns        : sums of w (x - s) and w (x - s)^2 in each column, s a row nearby
//
// Rows go by in tiles that stay in the first-level cache: scores, then residuals, then their part of the gradient.
// Where rows have no weights, the logarithm is taken of a product of a tile's s_i, each from 1 to K.
// Checked by the caller: finite X, y from 0 to K - 1, shapes that fit; weights are all there or an empty array.
// Twins in NumPy: tests/linear/logistic/test_logistic_sums.py, by_the_book.
#include <cmath>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"
#include "assay/tiles.hpp"

using namespace assay;

namespace {

// Scores of one tile become residuals; h, if there, gets w p (1 - p). Returns the loss. One loop for each step, so that
// compilers turn each into vector code.
INLINE double two_tile(double *z, const int64_t *y, const double *w, int64_t rows, double *h) {
    double e[TILE], wrong[TILE], loss;
    for (int64_t i = 0; i < rows; ++i) e[i] = exponential(-std::fabs(z[i]));
    for (int64_t i = 0; i < rows; ++i) {
        const double margin = y[i] ? z[i] : -z[i];
        wrong[i] = margin < 0.0 ? -margin : 0.0;  // ln(1 + exp(-margin)) = wrong + ln(1 + e)
    }
    if (w) {
        for (int64_t i = 0; i < rows; ++i) wrong[i] = w[i] * (wrong[i] + log_one_plus(e[i]));
        loss = total(wrong, rows);
    } else {
        loss = total(wrong, rows) + std::log(product_of_ones_and(e, rows));
    }
    for (int64_t i = 0; i < rows; ++i) {
        const double weight = w ? w[i] : 1.0, large = 1.0 / (1.0 + e[i]), small = e[i] * large;
        if (h) h[i] = weight * small * large;
        const double p = z[i] > 0.0 ? large : small, q = z[i] > 0.0 ? small : large;
        z[i] = weight * (y[i] ? -q : p);
    }
    return loss;
}

template <class T>
INLINE double two_pass(const T *X, int64_t n, int64_t d, const int64_t *y, const double *w, const double *coef,
                       double intercept, double *G, double *g) {
    double loss = 0.0, z[TILE];
    for (int64_t a = 0; a < n; a += TILE) {
        const int64_t rows = n - a < TILE ? n - a : TILE;
        dots(X + a * d, rows, d, coef, z);
        for (int64_t i = 0; i < rows; ++i) z[i] += intercept;
        loss += two_tile(z, y + a, w ? w + a : nullptr, rows, nullptr);
        pull(X + a * d, rows, d, z, G);
        *g += total(z, rows);
    }
    return loss;
}

HOT double two_f64(const double *X, int64_t n, int64_t d, const int64_t *y, const double *w, const double *coef,
                   double intercept, double *G, double *g) {
    return two_pass(X, n, d, y, w, coef, intercept, G, g);
}
HOT double two_f32(const float *X, int64_t n, int64_t d, const int64_t *y, const double *w, const double *coef,
                   double intercept, double *G, double *g) {
    return two_pass(X, n, d, y, w, coef, intercept, G, g);
}

// Scores of one tile, `wide` numbers a row of which K count, become residuals. Returns the loss.
// One loop for each step, so that the exponentials of many rows are on their way at once.
INLINE double tile_residuals(double *z, int64_t wide, int64_t K, const int64_t *y, const double *w, int64_t rows,
                             double *posterior) {
    double own[TILE], sum[TILE], loss = 0.0;
    for (int64_t i = 0; i < rows; ++i) {
        double *s = z + i * wide, top = s[0];
        for (int64_t k = 1; k < K; ++k) top = s[k] > top ? s[k] : top;
        own[i] = top - s[y[i]];
        for (int64_t k = 0; k < wide; ++k) s[k] -= top;
    }
    for (int64_t t = 0; t < rows * wide; ++t) z[t] = exponential(z[t]);
    for (int64_t i = 0; i < rows; ++i) {
        sum[i] = 0.0;
        for (int64_t k = 0; k < K; ++k) sum[i] += z[i * wide + k];
    }
    if (w) {
        for (int64_t i = 0; i < rows; ++i) loss += w[i] * (own[i] + std::log(sum[i]));
    } else {
        double product = 1.0;
        for (int64_t i = 0; i < rows; ++i) {
            loss += own[i];
            product *= sum[i];
            if (product > 1e200) {  // more classes than a tile's product has room for
                loss += std::log(product);
                product = 1.0;
            }
        }
        loss += std::log(product);
    }
    for (int64_t i = 0; i < rows; ++i) sum[i] = 1.0 / sum[i];
    if (posterior)
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t k = 0; k < K; ++k) posterior[i * K + k] = z[i * wide + k] * sum[i];
    for (int64_t i = 0; i < rows; ++i) {
        double *s = z + i * wide;
        const double weight = w ? w[i] : 1.0, share = sum[i] * weight;
        for (int64_t k = 0; k < wide; ++k) s[k] *= share;
        for (int64_t k = K; k < wide; ++k) s[k] = 0.0;
        s[y[i]] -= weight;
    }
    return loss;
}

// z = b + X W for a tile; W has LANES * V columns. Four rows share the loads of W.
template <int V, class T>
INLINE void scores(const T *X, int64_t rows, int64_t d, const double *W, const double *b, double *z) {
    const Lane *weights = reinterpret_cast<const Lane *>(W), *start = reinterpret_cast<const Lane *>(b);
    Lane *out = reinterpret_cast<Lane *>(z);
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const T *x = X + i * d;
        Lane s[4][V];
        for (int r = 0; r < 4; ++r)
            for (int v = 0; v < V; ++v) s[r][v] = start[v];
        for (int64_t j = 0; j < d; ++j)
            for (int v = 0; v < V; ++v) {
                const Lane each = weights[j * V + v];
                s[0][v] += double(x[j]) * each;
                s[1][v] += double(x[d + j]) * each;
                s[2][v] += double(x[2 * d + j]) * each;
                s[3][v] += double(x[3 * d + j]) * each;
            }
        for (int r = 0; r < 4; ++r)
            for (int v = 0; v < V; ++v) out[(i + r) * V + v] = s[r][v];
    }
    for (; i < rows; ++i)
        for (int v = 0; v < V; ++v) {
            Lane s = start[v];
            for (int64_t j = 0; j < d; ++j) s += double(X[i * d + j]) * weights[j * V + v];
            out[i * V + v] = s;
        }
}

// G += X'R for a tile; eight rows share the load and store of G.
template <int V, class T> INLINE void pull_all(const T *X, int64_t rows, int64_t d, const double *R, double *G) {
    const Lane *r = reinterpret_cast<const Lane *>(R);
    Lane *out = reinterpret_cast<Lane *>(G);
    for (int v = 0; v < V; ++v) {
        int64_t i = 0;
        for (; i + 8 <= rows; i += 8) {
            const T *x = X + i * d;
            Lane own[8];
            for (int q = 0; q < 8; ++q) own[q] = r[(i + q) * V + v];
            for (int64_t j = 0; j < d; ++j) {
                Lane s = out[j * V + v];
                for (int q = 0; q < 8; ++q) s += double(x[q * d + j]) * own[q];
                out[j * V + v] = s;
            }
        }
        for (; i < rows; ++i)
            for (int64_t j = 0; j < d; ++j) out[j * V + v] += double(X[i * d + j]) * r[i * V + v];
    }
}

template <int V, class T>
INLINE double few_pass(const T *X, int64_t n, int64_t d, int64_t K, const int64_t *y, const double *w, const double *W,
                       const double *b, double *G, double *g) {
    constexpr int64_t wide = V * LANES;
    alignas(64) double z[TILE * wide];
    double loss = 0.0;
    for (int64_t a = 0; a < n; a += TILE) {
        const int64_t rows = n - a < TILE ? n - a : TILE;
        scores<V>(X + a * d, rows, d, W, b, z);
        loss += tile_residuals(z, wide, K, y + a, w ? w + a : nullptr, rows, nullptr);
        pull_all<V>(X + a * d, rows, d, z, G);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t k = 0; k < wide; ++k) g[k] += z[i * wide + k];
    }
    return loss;
}

template <class T>
INLINE double any_pass(const T *X, int64_t n, int64_t d, int64_t K, int64_t wide, const int64_t *y, const double *w,
                       const double *W, const double *b, double *G, double *g) {
    return wide == 4   ? few_pass<1>(X, n, d, K, y, w, W, b, G, g)
           : wide == 8 ? few_pass<2>(X, n, d, K, y, w, W, b, G, g)
                       : few_pass<4>(X, n, d, K, y, w, W, b, G, g);
}

HOT double few_f64(const double *X, int64_t n, int64_t d, int64_t K, int64_t wide, const int64_t *y, const double *w,
                   const double *W, const double *b, double *G, double *g) {
    return any_pass(X, n, d, K, wide, y, w, W, b, G, g);
}
HOT double few_f32(const float *X, int64_t n, int64_t d, int64_t K, int64_t wide, const int64_t *y, const double *w,
                   const double *W, const double *b, double *G, double *g) {
    return any_pass(X, n, d, K, wide, y, w, W, b, G, g);
}

HOT double all_residuals(double *Z, int64_t n, int64_t K, const int64_t *y, const double *w, double *P) {
    double loss = 0.0;
    for (int64_t a = 0; a < n; a += TILE) {
        const int64_t rows = n - a < TILE ? n - a : TILE;
        loss += tile_residuals(Z + a * K, K, K, y + a, w ? w + a : nullptr, rows, P ? P + a * K : nullptr);
    }
    return loss;
}

HOT double all_two(double *z, int64_t n, const int64_t *y, const double *w, double *h) {
    double loss = 0.0;
    for (int64_t a = 0; a < n; a += TILE) {
        const int64_t rows = n - a < TILE ? n - a : TILE;
        loss += two_tile(z + a, y + a, w ? w + a : nullptr, rows, h ? h + a : nullptr);
    }
    return loss;
}

template <class T>
INLINE void column_sums(const T *X, int64_t n, int64_t d, const double *w, const double *__restrict shift,
                        double *__restrict first, double *__restrict second) {
    for (int64_t i = 0; i < n; ++i) {
        const T *__restrict x = X + i * d;
        const double weight = w ? w[i] : 1.0;
        for (int64_t j = 0; j < d; ++j) {
            const double t = x[j] - shift[j], wt = weight * t;
            first[j] += wt;
            second[j] += wt * t;
        }
    }
}

HOT void columns_f64(const double *X, int64_t n, int64_t d, const double *w, const double *shift, double *first,
                     double *second) {
    column_sums(X, n, d, w, shift, first, second);
}
HOT void columns_f32(const float *X, int64_t n, int64_t d, const double *w, const double *shift, double *first,
                     double *second) {
    column_sums(X, n, d, w, shift, first, second);
}

const double *some(const In1<double> &w) { return w.shape(0) ? w.data() : nullptr; }

bool fit_rows(size_t n, const In1<int64_t> &y, const In1<double> &w) {
    return y.shape(0) == n && (w.shape(0) == n || w.shape(0) == 0);
}

template <class T>
double two_classes(In2<T> X,               // in      (n, d)
                   In1<int64_t> y,         // in      (n,)   0 or 1
                   In1<double> w,          // in      (n,) or empty
                   In1<double> coef,       // in      (d,)
                   double intercept,
                   InOut1<double> G) {     // in/out  (d + 1,) the gradient is added, the intercept's last
    require(fit_rows(X.shape(0), y, w) && coef.shape(0) == X.shape(1) && G.shape(0) == X.shape(1) + 1,
            "two_classes: shapes do not fit");
    nb::gil_scoped_release unlocked;
    const int64_t n = X.shape(0), d = X.shape(1);
    if constexpr (sizeof(T) == 8)
        return two_f64(X.data(), n, d, y.data(), some(w), coef.data(), intercept, G.data(), G.data() + d);
    else return two_f32(X.data(), n, d, y.data(), some(w), coef.data(), intercept, G.data(), G.data() + d);
}

template <class T>
double few_classes(In2<T> X,               // in      (n, d)
                   In1<int64_t> y,         // in      (n,)   0..K-1
                   In1<double> w,          // in      (n,) or empty
                   int64_t K,
                   In2<double> W,          // in      (d + 1, wide) the intercepts last, wide 4, 8 or 16, not below K
                   InOut2<double> G) {     // in/out  (d + 1, wide) the gradient is added
    const size_t wide = W.shape(1);
    require(fit_rows(X.shape(0), y, w) && W.shape(0) == X.shape(1) + 1 && G.shape(0) == W.shape(0) &&
                G.shape(1) == wide && (wide == 4 || wide == 8 || wide == 16) && K >= 1 && size_t(K) <= wide,
            "few_classes: shapes do not fit");
    require(within(y, 0, K), "few_classes: a class that is not there");
    nb::gil_scoped_release unlocked;
    const int64_t n = X.shape(0), d = X.shape(1);
    const double *b = W.data() + d * wide;
    double *g = G.data() + d * wide;
    if constexpr (sizeof(T) == 8) return few_f64(X.data(), n, d, K, wide, y.data(), some(w), W.data(), b, G.data(), g);
    else return few_f32(X.data(), n, d, K, wide, y.data(), some(w), W.data(), b, G.data(), g);
}

double residuals(InOut2<double> Z,         // in/out  (n, K) scores, then residuals
                 In1<int64_t> y,           // in      (n,)   0..K-1
                 In1<double> w,            // in      (n,) or empty
                 InOut2<double> P) {       // out     (n, K) posteriors, or (0, K)
    require(fit_rows(Z.shape(0), y, w) && Z.shape(1) > 0 && (P.shape(0) == 0 || P.shape(0) == Z.shape(0)) &&
                P.shape(1) == Z.shape(1),
            "residuals: shapes do not fit");
    require(within(y, 0, int64_t(Z.shape(1))), "residuals: a class that is not there");
    nb::gil_scoped_release unlocked;
    return all_residuals(Z.data(), Z.shape(0), Z.shape(1), y.data(), some(w), P.shape(0) ? P.data() : nullptr);
}

double two_residuals(InOut1<double> z,     // in/out  (n,)   scores of the second class, then residuals
                     In1<int64_t> y,       // in      (n,)   0 or 1
                     In1<double> w,        // in      (n,) or empty
                     InOut1<double> h) {   // out     (n,) or empty: w p (1 - p)
    require(fit_rows(z.shape(0), y, w) && (h.shape(0) == 0 || h.shape(0) == z.shape(0)),
            "two_residuals: shapes do not fit");
    nb::gil_scoped_release unlocked;
    return all_two(z.data(), z.shape(0), y.data(), some(w), h.shape(0) ? h.data() : nullptr);
}

template <class T>
void columns(In2<T> X,                     // in      (n, d)
             In1<double> w,                // in      (n,) or empty
             In1<double> shift,            // in      (d,)
             InOut1<double> first,         // in/out  (d,) is added to
             InOut1<double> second) {      // in/out  (d,) is added to
    const size_t n = X.shape(0), d = X.shape(1);
    require((w.shape(0) == n || w.shape(0) == 0) && shift.shape(0) == d && first.shape(0) == d && second.shape(0) == d,
            "columns: shapes do not fit");
    nb::gil_scoped_release unlocked;
    if constexpr (sizeof(T) == 8) columns_f64(X.data(), n, d, some(w), shift.data(), first.data(), second.data());
    else columns_f32(X.data(), n, d, some(w), shift.data(), first.data(), second.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "two_classes", &two_classes<double>, "X", "y", "w", "coef", "intercept", "G");
    define(m, "two_classes", &two_classes<float>, "X", "y", "w", "coef", "intercept", "G");
    define(m, "few_classes", &few_classes<double>, "X", "y", "w", "K", "W", "G");
    define(m, "few_classes", &few_classes<float>, "X", "y", "w", "K", "W", "G");
    define(m, "residuals", &residuals, "Z", "y", "w", "P");
    define(m, "two_residuals", &two_residuals, "z", "y", "w", "h");
    define(m, "columns", &columns<double>, "X", "w", "shift", "first", "second");
    define(m, "columns", &columns<float>, "X", "w", "shift", "first", "second");
}
