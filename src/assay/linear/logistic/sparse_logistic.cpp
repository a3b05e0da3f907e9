// Logistic and softmax regression on sparse rows: one pass over a block of rows at a time.
//
// R is 1 for two classes, else the number of classes. Weights are (d + 1, R): what belongs to a column lies
// together, the constants come last. Scores z, posteriors p and curvatures D are (n, R).
//
//     respond    R = 1:   p = 1 / (1 + e^-z)     loss = log(1 + e^z) - y z        G = w (p - y)       D = w p (1 - p)
//                else:    p = softmax(z)         loss = log sum e^z_k - z_y       G = w (p - [y])     D = p
//     along      the loss, its slope and its curvature in t, of scores z + t u
//     scores     z = (x, 1) W
//     back       out += (x, 1)^T G,   diagonal += (x^2, 1)^T D (else: w p (1 - p)),   over rows lo..hi
//     curve      u = (x, 1) V,   out += (x, 1)^T (curvature of the row) u,            over rows lo..hi
//
// Checked by the caller: the CSR matrix is sound (indptr ascends, indices within 0..d-1), y in 0..K-1, w finite.
// Twins in NumPy: tests/linear/logistic/test_sparse_logistic.py, the functions ..._by_the_book.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct Csr {
    const int64_t *start;
    const int32_t *column;
    const double *value;
};

// z (R,) = last row of W + sum over the entries of row i of x_j W_j
template <int Fixed>
INLINE void product(const Csr &X, int64_t i, const double *W, int64_t d, int64_t R_, double *z) {
    const int64_t R = Fixed ? Fixed : R_;
    const int64_t end = X.start[i + 1];
    if (Fixed == 1) {
        double a = W[d], b = 0, c = 0, e = 0;  // four sums: additions need not wait for each other
        int64_t s = X.start[i];
        for (; s + 4 <= end; s += 4) {
            a += X.value[s] * W[X.column[s]];
            b += X.value[s + 1] * W[X.column[s + 1]];
            c += X.value[s + 2] * W[X.column[s + 2]];
            e += X.value[s + 3] * W[X.column[s + 3]];
        }
        for (; s < end; ++s) a += X.value[s] * W[X.column[s]];
        z[0] = (a + b) + (c + e);
        return;
    }
    for (int64_t k = 0; k < R; ++k) z[k] = W[d * R + k];
    for (int64_t s = X.start[i]; s < end; ++s) {
        const double x = X.value[s], *w = W + int64_t(X.column[s]) * R;
        for (int64_t k = 0; k < R; ++k) z[k] += x * w[k];
    }
}

// out_j += x_j g for the entries of row i, and the constants
template <int Fixed>
INLINE void spread(const Csr &X, int64_t i, const double *g, int64_t d, int64_t R_, double *out) {
    const int64_t R = Fixed ? Fixed : R_;
    for (int64_t s = X.start[i]; s < X.start[i + 1]; ++s) {
        double *o = out + int64_t(X.column[s]) * R;
        const double x = X.value[s];
        for (int64_t k = 0; k < R; ++k) o[k] += x * g[k];
    }
    for (int64_t k = 0; k < R; ++k) out[d * R + k] += g[k];
}

template <int Fixed>
INLINE void back_of(const Csr &X, const double *G, const double *D, const double *w, int64_t lo, int64_t hi, int64_t d,
                    int64_t R_, double *out, double *diagonal, double *room) {
    const int64_t R = Fixed ? Fixed : R_;
    for (int64_t i = lo; i < hi; ++i) {
        const double *g = G + i * R, *p = D + i * R;
        if (Fixed == 1) {
            const double gi = g[0], di = p[0];
            for (int64_t s = X.start[i]; s < X.start[i + 1]; ++s) {
                const double x = X.value[s];
                const int64_t j = X.column[s];
                out[j] += x * gi;
                diagonal[j] += x * x * di;
            }
            out[d] += gi;
            diagonal[d] += di;
            continue;
        }
        for (int64_t k = 0; k < R; ++k) room[k] = w[i] * p[k] * (1 - p[k]);
        for (int64_t s = X.start[i]; s < X.start[i + 1]; ++s) {
            const double x = X.value[s], xx = x * x;
            double *o = out + int64_t(X.column[s]) * R, *q = diagonal + int64_t(X.column[s]) * R;
            for (int64_t k = 0; k < R; ++k) o[k] += x * g[k];
            for (int64_t k = 0; k < R; ++k) q[k] += xx * room[k];
        }
        for (int64_t k = 0; k < R; ++k) out[d * R + k] += g[k], diagonal[d * R + k] += room[k];
    }
}

template <int Fixed>
INLINE void curve_of(const Csr &X, const double *D, const double *w, const double *V, int64_t lo, int64_t hi, int64_t d,
                     int64_t R_, double *U, double *out, double *room) {
    const int64_t R = Fixed ? Fixed : R_;
    for (int64_t i = lo; i < hi; ++i) {
        double *u = U + i * R;
        const double *p = D + i * R;
        product<Fixed>(X, i, V, d, R, u);
        if (Fixed == 1) {
            room[0] = p[0] * u[0];
        } else {  // w (diag p - p p^T) u
            double mean = 0;
            for (int64_t k = 0; k < R; ++k) mean += p[k] * u[k];
            for (int64_t k = 0; k < R; ++k) room[k] = w[i] * p[k] * (u[k] - mean);
        }
        spread<Fixed>(X, i, room, d, R, out);
    }
}

// log(1 + e^z), and e^-|z| on the way
inline double softplus(double z, double &small) {
    small = std::exp(-std::fabs(z));
    return std::max(z, 0.0) + std::log1p(small);
}

// p = softmax(z), K of them; the logarithm of the sum of e^z
inline double soften(const double *z, int64_t K, double *p) {
    double top = z[0], sum = 0;
    for (int64_t k = 1; k < K; ++k) top = std::max(top, z[k]);
    for (int64_t k = 0; k < K; ++k) sum += p[k] = std::exp(z[k] - top);
    const double share = 1 / sum;
    for (int64_t k = 0; k < K; ++k) p[k] *= share;
    return top + std::log(sum);
}

HOT double respond_loop(const double *Z, const int64_t *y, const double *w, int64_t n, int64_t R, double *G,
                        double *D) {
    double loss = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double *z = Z + i * R;
        if (R == 1) {
            double e;
            loss += w[i] * (softplus(z[0], e) - (y[i] ? z[0] : 0.0));
            const double share = 1 / (1 + e), p = z[0] >= 0 ? share : e * share;
            // p - 1 from the other side, so that nothing cancels where p is nearly 1
            G[i] = w[i] * (y[i] ? -(z[0] >= 0 ? e * share : share) : p);
            D[i] = w[i] * e * share * share;
            continue;
        }
        double *p = D + i * R, *g = G + i * R;
        loss += w[i] * (soften(z, R, p) - z[y[i]]);
        double others = 0;
        for (int64_t k = 0; k < R; ++k) {
            g[k] = w[i] * p[k];
            others += k == y[i] ? 0.0 : p[k];
        }
        g[y[i]] = -w[i] * others;
    }
    return loss;
}

HOT void along_loop(const double *Z, const double *U, double t, const int64_t *y, const double *w, int64_t n, int64_t R,
                    double *room, double *found) {
    double loss = 0, slope = 0, bend = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double *z = Z + i * R, *u = U + i * R;
        if (R == 1) {
            double e;
            const double at = z[0] + t * u[0];
            loss += w[i] * (softplus(at, e) - (y[i] ? at : 0.0));
            const double share = 1 / (1 + e), low = e * share;
            slope += w[i] * u[0] * (y[i] ? -(at >= 0 ? low : share) : (at >= 0 ? share : low));
            bend += w[i] * u[0] * u[0] * low * share;
            continue;
        }
        double *p = room, *at = room + R, mean = 0, square = 0;
        for (int64_t k = 0; k < R; ++k) at[k] = z[k] + t * u[k];
        loss += w[i] * (soften(at, R, p) - at[y[i]]);
        for (int64_t k = 0; k < R; ++k) mean += p[k] * u[k];
        for (int64_t k = 0; k < R; ++k) square += p[k] * (u[k] - mean) * (u[k] - mean);
        slope += w[i] * (mean - u[y[i]]);
        bend += w[i] * square;
    }
    found[0] = loss, found[1] = slope, found[2] = bend;
}

HOT void scores_loop(const Csr &X, const double *W, int64_t lo, int64_t hi, int64_t d, int64_t R, double *Z) {
    if (R == 1) {
        for (int64_t i = lo; i < hi; ++i) product<1>(X, i, W, d, 1, Z + i);
    } else {
        for (int64_t i = lo; i < hi; ++i) product<0>(X, i, W, d, R, Z + i * R);
    }
}

HOT void back_loop(const Csr &X, const double *G, const double *D, const double *w, int64_t lo, int64_t hi, int64_t d,
                   int64_t R, double *out, double *diagonal, double *room) {
    switch (R) {  // few classes: their number is known while compiling
        case 1: return back_of<1>(X, G, D, w, lo, hi, d, R, out, diagonal, room);
        case 3: return back_of<3>(X, G, D, w, lo, hi, d, R, out, diagonal, room);
        case 4: return back_of<4>(X, G, D, w, lo, hi, d, R, out, diagonal, room);
        case 5: return back_of<5>(X, G, D, w, lo, hi, d, R, out, diagonal, room);
        default: return back_of<0>(X, G, D, w, lo, hi, d, R, out, diagonal, room);
    }
}

HOT void curve_loop(const Csr &X, const double *D, const double *w, const double *V, int64_t lo, int64_t hi, int64_t d,
                    int64_t R, double *U, double *out, double *room) {
    switch (R) {
        case 1: return curve_of<1>(X, D, w, V, lo, hi, d, R, U, out, room);
        case 3: return curve_of<3>(X, D, w, V, lo, hi, d, R, U, out, room);
        case 4: return curve_of<4>(X, D, w, V, lo, hi, d, R, U, out, room);
        case 5: return curve_of<5>(X, D, w, V, lo, hi, d, R, U, out, room);
        default: return curve_of<0>(X, D, w, V, lo, hi, d, R, U, out, room);
    }
}

// Rows lo to hi of n, which are the ones that are looked at, of a sparse table of d columns.
Csr matrix(const In1<int64_t> &start, const In1<int32_t> &column, const In1<double> &value, int64_t n, int64_t d,
           int64_t lo, int64_t hi) {
    require(0 <= lo && lo <= hi && hi <= n && length(start) == n + 1, "rows out of range");
    require(column.shape(0) == value.shape(0), "CSR arrays do not belong together");
    bool fits = start.data()[lo] >= 0 && start.data()[hi] <= length(column);
    for (int64_t i = lo; i < hi; ++i) fits &= start.data()[i] <= start.data()[i + 1];
    require(fits, "CSR rows end beyond the entries");
    require(within(column.data() + start.data()[lo], start.data()[hi] - start.data()[lo], 0, d),
            "CSR columns that are not there");
    return {start.data(), column.data(), value.data()};
}

double respond(In2<double> Z, In1<int64_t> y, In1<double> w, InOut2<double> G, InOut2<double> D) {
    const int64_t n = int64_t(Z.shape(0)), R = int64_t(Z.shape(1));
    require(int64_t(y.shape(0)) == n && int64_t(w.shape(0)) == n, "y and w need one entry a row");
    require(R > 0 && within(y, 0, R == 1 ? 2 : R), "y names a class that is not there");
    require(G.shape(0) == Z.shape(0) && G.shape(1) == Z.shape(1), "G is shaped like Z");
    require(D.shape(0) == Z.shape(0) && D.shape(1) == Z.shape(1), "D is shaped like Z");
    nb::gil_scoped_release free;
    return respond_loop(Z.data(), y.data(), w.data(), n, R, G.data(), D.data());
}

nb::tuple along(In2<double> Z, In2<double> U, double t, In1<int64_t> y, In1<double> w) {
    const int64_t n = int64_t(Z.shape(0)), R = int64_t(Z.shape(1));
    require(int64_t(y.shape(0)) == n && int64_t(w.shape(0)) == n, "y and w need one entry a row");
    require(R > 0 && within(y, 0, R == 1 ? 2 : R), "y names a class that is not there");
    require(U.shape(0) == Z.shape(0) && U.shape(1) == Z.shape(1), "U is shaped like Z");
    double found[3];
    {
        nb::gil_scoped_release free;
        std::vector<double> room(size_t(2 * R));
        along_loop(Z.data(), U.data(), t, y.data(), w.data(), n, R, room.data(), found);
    }
    return nb::make_tuple(found[0], found[1], found[2]);
}

void scores(In1<int64_t> start, In1<int32_t> column, In1<double> value, In2<double> W, int64_t lo, int64_t hi,
            InOut2<double> Z) {
    const int64_t n = int64_t(Z.shape(0)), R = int64_t(Z.shape(1)), d = int64_t(W.shape(0)) - 1;
    const Csr X = matrix(start, column, value, n, d, lo, hi);
    require(d >= 0 && int64_t(W.shape(1)) == R, "W needs as many columns as Z");
    nb::gil_scoped_release free;
    scores_loop(X, W.data(), lo, hi, d, R, Z.data());
}

void back(In1<int64_t> start, In1<int32_t> column, In1<double> value, In2<double> G, In2<double> D, In1<double> w,
          int64_t lo, int64_t hi, InOut2<double> out, InOut2<double> diagonal) {
    const int64_t n = int64_t(G.shape(0)), R = int64_t(G.shape(1)), d = int64_t(out.shape(0)) - 1;
    const Csr X = matrix(start, column, value, n, d, lo, hi);
    require(int64_t(D.shape(0)) == n && int64_t(D.shape(1)) == R && int64_t(w.shape(0)) == n, "D is shaped like G");
    require(d >= 0 && int64_t(out.shape(1)) == R, "out needs as many columns as G");
    require(int64_t(diagonal.shape(0)) == d + 1 && int64_t(diagonal.shape(1)) == R, "diagonal is shaped like out");
    nb::gil_scoped_release free;
    std::vector<double> room(size_t(R > 0 ? R : 1));
    back_loop(X, G.data(), D.data(), w.data(), lo, hi, d, R, out.data(), diagonal.data(), room.data());
}

void curve(In1<int64_t> start, In1<int32_t> column, In1<double> value, In2<double> D, In1<double> w, In2<double> V,
           int64_t lo, int64_t hi, InOut2<double> U, InOut2<double> out) {
    const int64_t n = int64_t(D.shape(0)), R = int64_t(D.shape(1)), d = int64_t(out.shape(0)) - 1;
    const Csr X = matrix(start, column, value, n, d, lo, hi);
    require(int64_t(U.shape(0)) == n && int64_t(U.shape(1)) == R && int64_t(w.shape(0)) == n, "U is shaped like D");
    require(d >= 0 && int64_t(out.shape(1)) == R, "out needs as many columns as D");
    require(int64_t(V.shape(0)) == d + 1 && int64_t(V.shape(1)) == R, "V is shaped like out");
    nb::gil_scoped_release free;
    std::vector<double> room(size_t(R > 0 ? R : 1));
    curve_loop(X, D.data(), w.data(), V.data(), lo, hi, d, R, U.data(), out.data(), room.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "respond", &respond, "Z", "y", "w", "G", "D");
    define(m, "along", &along, "Z", "U", "t", "y", "w");
    define(m, "scores", &scores, "start", "column", "value", "W", "lo", "hi", "Z");
    define(m, "back", &back, "start", "column", "value", "G", "D", "w", "lo", "hi", "out", "diagonal");
    define(m, "curve", &curve, "start", "column", "value", "D", "w", "V", "lo", "hi", "U", "out");
}
