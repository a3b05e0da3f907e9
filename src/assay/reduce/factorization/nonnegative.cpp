// Coordinate descent of nonnegative least squares, all rows of a factor against the same other factor.
//
//     min over a >= 0 of  1/2 a' G a - c' a:      a_t <- max(0, a_t - (G_t . a - c_t) / G_tt)
//
// Rows do not depend on each other: sixteen of them are the lanes of two vectors. A row is swept again as long as that
// moves it noticeably (Gillis and Glineur 2012), since a sweep is cheap beside the products G and c.
// With unknown entries (NaN) each row has its own G, and the residual of the row takes the place of the products:
//
//     g_t = sum over known j of w_j r_j B_tj,    h_t = sum over known j of w_j B_tj^2,   r_j = x_j - sum_t a_t B_tj
//
// The violation is the sum of the projected gradients before the first sweep, as scikit-learn's solver has it.
//
// Twin in NumPy: tests/reduce/factorization/test_nmf.py.
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are passed between functions that are always inlined

namespace {

constexpr int64_t LANES = 8, TILE = 2 * LANES;

typedef double Doubles __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

INLINE Doubles load(const double *a) { return *reinterpret_cast<const Doubles *>(a); }
INLINE Doubles &at(double *a) { return *reinterpret_cast<Doubles *>(a); }

INLINE double total(Doubles v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }

// a and c are (k, TILE): the rows of a tile side by side, in two vectors whose chains of additions run abreast.
INLINE double sweep_tile(double *a, const double *c, const double *G, const double *weights, const int64_t *order,
                         int64_t k, int64_t sweeps, double enough) {
    const Doubles zero = {};
    double violation = 0;
    Doubles first[2] = {}, moving[2] = {zero + 1.0, zero + 1.0};  // 1 in the lanes of rows that are swept on
    for (int64_t s = 0; s < sweeps; ++s) {
        Doubles change[2] = {};
        for (int64_t o = 0; o < k; ++o) {
            const int64_t t = order[o];
            const double *g = G + t * k, inverse = g[t] == 0 ? 0.0 : 1.0 / g[t];
            Doubles even[2] = {-load(c + t * TILE), -load(c + t * TILE + LANES)}, odd[2] = {};
            int64_t r = 0;
            for (; r + 2 <= k; r += 2)
                for (int64_t h = 0; h < 2; ++h) {
                    even[h] += g[r] * load(a + r * TILE + h * LANES);
                    odd[h] += g[r + 1] * load(a + (r + 1) * TILE + h * LANES);
                }
            for (int64_t h = 0; h < 2; ++h) {
                if (r < k) even[h] += g[r] * load(a + r * TILE + h * LANES);
                const Doubles grad = even[h] + odd[h], old = load(a + t * TILE + h * LANES);
                if (s == 0) {
                    const Doubles projected = ((old == zero) & (grad > zero)) ? zero : grad;
                    violation += total((projected < zero ? -projected : projected) * load(weights + h * LANES));
                }
                const Doubles step = old - moving[h] * grad * inverse, fresh = step > zero ? step : zero;
                change[h] += (fresh - old) * (fresh - old);
                at(a + t * TILE + h * LANES) = fresh;
            }
        }
        for (int64_t h = 0; h < 2; ++h) {
            if (s == 0) first[h] = change[h];
            moving[h] = change[h] > enough * first[h] ? moving[h] : zero;
        }
        if (total(moving[0] + moving[1]) == 0) break;
    }
    return violation;
}

HOT double sweep_rows(double *A, const double *G, const double *C, const double *weights, const int64_t *order,
                      int64_t k, int64_t first, int64_t last, int64_t sweeps, double enough, double *tile) {
    double *a = tile, *c = tile + k * TILE, each[TILE], violation = 0;
    for (int64_t i = first; i < last; i += TILE) {
        const int64_t lanes = last - i < TILE ? last - i : TILE;
        for (int64_t t = 0; t < k; ++t)
            for (int64_t l = 0; l < TILE; ++l) {
                a[t * TILE + l] = l < lanes ? A[(i + l) * k + t] : 0;
                c[t * TILE + l] = l < lanes ? C[(i + l) * k + t] : 0;
            }
        for (int64_t l = 0; l < TILE; ++l) each[l] = l >= lanes ? 0.0 : weights ? weights[i + l] : 1.0;
        violation += sweep_tile(a, c, G, each, order, k, sweeps, enough);
        for (int64_t l = 0; l < lanes; ++l)
            for (int64_t t = 0; t < k; ++t) A[(i + l) * k + t] = a[t * TILE + l];
    }
    return violation;
}

HOT double sweep_known_rows(double *A, const double *X, const double *B, const double *w, const double *weights,
                            const int64_t *order, int64_t k, int64_t d, double l1, double l2, int64_t first,
                            int64_t last, int64_t sweeps, double enough, double *scratch) {
    double *r = scratch, *m = scratch + d, violation = 0;
    for (int64_t i = first; i < last; ++i) {
        double *a = A + i * k;
        const double *x = X + i * d;
        for (int64_t j = 0; j < d; ++j) {
            const bool known = x[j] == x[j];
            r[j] = known ? x[j] : 0, m[j] = known ? (w ? w[j] : 1.0) : 0.0;
        }
        for (int64_t t = 0; t < k; ++t) {
            const double *b = B + t * d, v = a[t];
            if (v != 0)
                for (int64_t j = 0; j < d; ++j) r[j] -= v * b[j];  // where x is not known m is 0
        }
        double begin = 0;
        for (int64_t s = 0; s < sweeps; ++s) {
            double change = 0;
            for (int64_t o = 0; o < k; ++o) {
                const int64_t t = order[o];
                const double *b = B + t * d;
                double g = 0, h = 0;
                for (int64_t j = 0; j < d; ++j) g += m[j] * r[j] * b[j], h += m[j] * b[j] * b[j];
                const double grad = l1 + l2 * a[t] - g;
                if (s == 0) violation += a[t] == 0 && grad > 0 ? 0 : std::fabs(grad) * (weights ? weights[i] : 1.0);
                if (h + l2 == 0) continue;
                const double step = a[t] - grad / (h + l2), fresh = step > 0 ? step : 0, moved = fresh - a[t];
                if (moved != 0)
                    for (int64_t j = 0; j < d; ++j) r[j] -= moved * b[j];
                change += moved * moved, a[t] = fresh;
            }
            if (s == 0) begin = change;
            if (change <= enough * begin) break;
        }
    }
    return violation;
}

void check_order(const In1<int64_t> &order, int64_t k, int64_t n, int64_t first, int64_t last) {
    require(length(order) == k && within(order, 0, k), "order: the number of each factor");
    require(first >= 0 && first <= last && last <= n, "rows that exist");
}

double sweep(InOut2<double> A,  // in/out  (n, k)
             In2<double> G,  // in      (k, k)
             In2<double> C,  // in      (n, k)
             In1<double> weights,  // in      (n,) or (0,) of rows, in the violation
             In1<int64_t> order,  // in      (k,)
             int64_t sweeps, double enough, int64_t first, int64_t last) {
    const int64_t n = length(A), k = int64_t(A.shape(1));
    require(length(G) == k && int64_t(G.shape(1)) == k && length(C) == n && int64_t(C.shape(1)) == k,
            "sweep: products of the same factors");
    require(weighs(weights, n), "sweep: a weight for each row");
    check_order(order, k, n, first, last);
    std::vector<double> tile(size_t(2 * k * TILE));
    nb::gil_scoped_release unlocked;
    return sweep_rows(A.data(), G.data(), C.data(), data_or_null(weights), order.data(), k, first, last, sweeps, enough,
                      tile.data());
}

double sweep_known(InOut2<double> A,  // in/out  (n, k)
                   In2<double> X,  // in      (n, d)  NaN where it is not known
                   In2<double> B,  // in      (k, d)
                   In1<double> w,  // in      (d,) or (0,) weights
                   In1<double> weights,  // in      (n,) or (0,) of rows, in the violation
                   In1<int64_t> order,  // in      (k,)
                   double l1, double l2, int64_t sweeps, double enough, int64_t first, int64_t last) {
    const int64_t n = length(A), k = int64_t(A.shape(1)), d = int64_t(X.shape(1));
    require(length(X) == n && length(B) == k && int64_t(B.shape(1)) == d && weighs(w, d),
            "sweep_known: factors of the table");
    require(weighs(weights, n), "sweep_known: a weight for each row");
    check_order(order, k, n, first, last);
    std::vector<double> scratch(size_t(2 * d));
    nb::gil_scoped_release unlocked;
    return sweep_known_rows(A.data(), X.data(), B.data(), data_or_null(w), data_or_null(weights), order.data(), k, d,
                            l1, l2, first, last, sweeps, enough, scratch.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "sweep", &sweep, "A", "G", "C", "weights", "order", "sweeps", "enough", "first", "last");
    define(m, "sweep_known", &sweep_known, "A", "X", "B", "w", "weights", "order", "l1", "l2", "sweeps", "enough",
           "first", "last");
}
