// The expectation step of a mixture of Gaussians, with the sums that the maximisation step needs.
//
//     g_ik = c_k - 1/2 || A_k (x_i - m_k) ||^2          A_k lower triangular, or diagonal
//     l_i  = log sum_k exp g_ik,    r_ik = exp(g_ik - l_i)
//     N_k  = sum_i w_i r_ik,    F_k = sum_i w_i r_ik (x_i - m_k),    S_k = sum_i w_i r_ik (x_i - m_k)(x_i - m_k)'
//
// TILE rows at a time. For the scores they stand turned, one row to a lane. For S_k only the rows that component k
// answers for (r > LEAST_SHARE) are taken, so that separate groups cost one product of the rows and not K. S_k is
// about the current mean, which loses no digits however far the rows lie from 0.
//
// A NaN in X makes the totals NaN.
// Twin in NumPy: tests/mixture/test_em.py, sums_by_the_book.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

constexpr int64_t LANES = 8, GROUPS = 32, TILE = LANES * GROUPS;
constexpr int64_t PITCH = GROUPS + 1, APART = PITCH * LANES;  // from column to column of a tile: no power of two
constexpr double LEAST_SHARE = 1e-30;  // of a row, for which a component answers: what is below adds nothing to a sum
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double))));

// Room for n vectors of lanes, on their boundary.
class Room {
    std::vector<double> room;
    Lanes *start;

  public:
    explicit Room(int64_t n) : room(LANES * (n + 1)) {
        void *place = room.data();
        size_t space = room.size() * sizeof(double);
        start = static_cast<Lanes *>(std::align(sizeof(Lanes), n * sizeof(Lanes), place, space));
    }
    Lanes *data() { return start; }
    double *numbers() { return reinterpret_cast<double *>(start); }
};

__attribute__((always_inline)) inline double total(Lanes v) {
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

struct Model {
    const double *means, *factors, *constants;
    int64_t K, d;
    bool full;
};

// || A (x - m) ||^2 of LANES turned rows; T is room for them.
__attribute__((always_inline)) inline Lanes distance(const Model &model, int64_t k, const Lanes *x, int64_t stride,
                                                     Lanes *T) {
    const int64_t d = model.d;
    const double *mean = model.means + k * d;
    Lanes norm = {};
    if (!model.full) {
        const double *a = model.factors + k * d;
        for (int64_t j = 0; j < d; ++j) {
            const Lanes s = (x[j * stride] - mean[j]) * a[j];
            norm += s * s;
        }
        return norm;
    }
    const double *W = model.factors + k * d * d;
    for (int64_t j = 0; j < d; ++j) T[j] = x[j * stride] - mean[j];
    int64_t i = 0;
    for (; i + 4 <= d; i += 4) {  // right of the diagonal A is zero: the last three columns change nothing
        const double *w0 = W + i * d, *w1 = w0 + d, *w2 = w1 + d, *w3 = w2 + d;
        Lanes s0 = {}, s1 = {}, s2 = {}, s3 = {};
        for (int64_t j = 0; j < i + 4; ++j) {
            s0 += w0[j] * T[j];
            s1 += w1[j] * T[j];
            s2 += w2[j] * T[j];
            s3 += w3[j] * T[j];
        }
        norm += s0 * s0 + s1 * s1 + s2 * s2 + s3 * s3;
    }
    for (; i < d; ++i) {
        Lanes s = {};
        for (int64_t j = 0; j <= i; ++j) s += W[i * d + j] * T[j];
        norm += s * s;
    }
    return norm;
}

// S += U T' of groups of lanes: columns j <= i alone.
__attribute__((always_inline)) inline void scatter(const Lanes *U, const Lanes *T, int64_t groups, int64_t d,
                                                   double *S) {
    for (int64_t i = 0; i < d; i += 2) {
        const bool two = i + 1 < d;
        const Lanes *u0 = U + i * PITCH, *u1 = two ? u0 + PITCH : u0;
        for (int64_t j = 0; j <= i + 1 && j < d; j += 4) {
            const Lanes *t0 = T + j * PITCH, *t1 = j + 1 < d ? t0 + PITCH : t0, *t2 = j + 2 < d ? t1 + PITCH : t0,
                        *t3 = j + 3 < d ? t2 + PITCH : t0;
            Lanes a0 = {}, a1 = {}, a2 = {}, a3 = {}, b0 = {}, b1 = {}, b2 = {}, b3 = {};
            for (int64_t g = 0; g < groups; ++g) {
                a0 += u0[g] * t0[g];
                a1 += u0[g] * t1[g];
                a2 += u0[g] * t2[g];
                a3 += u0[g] * t3[g];
                b0 += u1[g] * t0[g];
                b1 += u1[g] * t1[g];
                b2 += u1[g] * t2[g];
                b3 += u1[g] * t3[g];
            }
            const double a[4] = {total(a0), total(a1), total(a2), total(a3)};
            const double b[4] = {total(b0), total(b1), total(b2), total(b3)};
            for (int64_t c = 0; c < 4; ++c) {
                if (j + c <= i) S[i * d + j + c] += a[c];
                if (two && j + c <= i + 1) S[(i + 1) * d + j + c] += b[c];
            }
        }
    }
}

// sums[j], sums[d + j] = the sums over some rows of s_i (x_ij - m_j) and of s_i (x_ij - m_j)^2
__attribute__((always_inline)) inline void add_squares(View2<const double> X, int64_t start, const int32_t *rows,
                                                       int64_t many, const double *share, const double *mean,
                                                       double *__restrict sums) {
    const int64_t d = X.cols();
    double *__restrict squares = sums + d;
    std::fill_n(sums, 2 * d, 0.0);
    for (int64_t c = 0; c < many; ++c) {
        const double *x = X.row(start + rows[c]), s = share[rows[c]];
        for (int64_t j = 0; j < d; ++j) {
            const double gap = x[j] - mean[j], part = s * gap;
            sums[j] += part;
            squares[j] += part * gap;
        }
    }
}

HOT void expect_rows(View2<const double> X, const double *w, const Model &model, double *counts, double *first,
                     double *second, double *totals) {
    const int64_t n = X.rows(), d = model.d, K = model.K, width = model.full ? d * d : d;
    Room turned(d * PITCH), centred(d * PITCH), shares(d * PITCH), scores(K * PITCH), powers(K * PITCH), one(d);
    std::vector<int32_t> rows(TILE);
    std::vector<double> sums(2 * d);
    double norms[TILE], log_evidence = 0.0, entropy = 0.0;
    for (int64_t start = 0; start < n; start += TILE) {
        const int64_t m = std::min(TILE, n - start), groups = (m + LANES - 1) / LANES;
        double *x = turned.numbers(), *G = scores.numbers(), *E = powers.numbers();
        for (int64_t r = 0; r < m; ++r)
            for (int64_t j = 0; j < d; ++j) x[j * APART + r] = X.row(start + r)[j];
        for (int64_t r = m; r < groups * LANES; ++r)
            for (int64_t j = 0; j < d; ++j) x[j * APART + r] = 0.0;
        for (int64_t k = 0; k < K; ++k)
            for (int64_t g = 0; g < groups; ++g)
                scores.data()[k * PITCH + g] =
                    model.constants[k] - 0.5 * distance(model, k, turned.data() + g, PITCH, one.data());
        double most[TILE], sum[TILE];
        const int64_t padded = groups * LANES;
        for (int64_t r = 0; r < padded; ++r) most[r] = G[r], sum[r] = 0.0;
        for (int64_t k = 1; k < K; ++k)
            for (int64_t r = 0; r < padded; ++r) most[r] = G[k * APART + r] > most[r] ? G[k * APART + r] : most[r];
        for (int64_t k = 0; k < K; ++k)
            for (int64_t r = 0; r < padded; ++r) sum[r] += E[k * APART + r] = exponential(G[k * APART + r] - most[r]);
        for (int64_t r = 0; r < m; ++r) {
            norms[r] = most[r] + std::log(sum[r]);
            log_evidence += (w ? w[start + r] : 1.0) * norms[r];
        }
        for (int64_t r = 0; r < padded; ++r) sum[r] = 1.0 / sum[r];
        for (int64_t k = 0; k < K; ++k) {
            const double *g = G + k * APART;
            double *share = E + k * APART;
            for (int64_t r = 0; r < padded; ++r) share[r] *= sum[r];
            int64_t chosen = 0;
            for (int64_t r = 0; r < m; ++r) {
                rows[chosen] = int32_t(r);
                chosen += share[r] > LEAST_SHARE;
            }
            if (!chosen) continue;
            const double *mean = model.means + k * d;
            double count = 0.0;
            for (int64_t c = 0; c < chosen; ++c) {
                const int64_t r = rows[c];
                const double both = (w ? w[start + r] : 1.0) * share[r];
                count += both;
                entropy -= both * (g[r] - norms[r]);
                share[r] = both;
            }
            counts[k] += count;
            if (!model.full) {
                add_squares(X, start, rows.data(), chosen, share, mean, sums.data());
                for (int64_t j = 0; j < d; ++j) first[k * d + j] += sums[j], second[k * d + j] += sums[d + j];
                continue;
            }
            double *T = centred.numbers(), *U = shares.numbers();
            const int64_t part = (chosen + LANES - 1) / LANES * LANES;
            for (int64_t c = 0; c < chosen; ++c) {
                const double *row = X.row(start + rows[c]), both = share[rows[c]];
                for (int64_t j = 0; j < d; ++j) {
                    const double gap = row[j] - mean[j];
                    T[j * APART + c] = gap;
                    U[j * APART + c] = both * gap;
                }
            }
            for (int64_t j = 0; j < d; ++j)
                for (int64_t c = chosen; c < part; ++c) T[j * APART + c] = U[j * APART + c] = 0.0;
            for (int64_t j = 0; j < d; ++j) {
                Lanes total_of = {};
                for (int64_t c = 0; c < part / LANES; ++c) total_of += shares.data()[j * PITCH + c];
                first[k * d + j] += total(total_of);
            }
            scatter(shares.data(), centred.data(), part / LANES, d, second + k * width);
        }
    }
    totals[0] += log_evidence;
    totals[1] += entropy;
}

void expect(In2<double> X,  // in      (n, d)
            In1<double> w,  // in      (n,) or (0,): ones
            In2<double> means,  // in      (K, d)
            In2<double> factors,  // in      (K d, d) lower triangles one below the other, or (K, d) diagonals
            In1<double> constants,  // in      (K,)     may be -inf, not all of them
            InOut1<double> counts,  // in/out  (K,)     all sums are added to what stands there
            InOut2<double> first,  // in/out  (K, d)
            InOut2<double> second,  // in/out  (K d, d) lower triangles, or (K, d)
            InOut1<double> totals) {  // in/out  (2,)     sum of w l,  sum of - w r log r
    const int64_t n = X.shape(0), d = X.shape(1), K = length(constants), height = length(factors);
    const bool full = height != K;  // with one column both are the same
    require(K > 0 && d > 0 && weighs(w, n), "expect: one weight for each row, at least one column and component");
    require(length(means) == K && int64_t(means.shape(1)) == d && int64_t(factors.shape(1)) == d &&
                (height == K || height == sized(K, d, "expect: too many components")),
            "expect: means and factors must have a row for each component and a column for each of X");
    require(length(counts) == K && length(first) == K && int64_t(first.shape(1)) == d && length(second) == height &&
                int64_t(second.shape(1)) == d && length(totals) == 2,
            "expect: the sums must have the shapes of the parameters");
    nb::gil_scoped_release unlocked;
    const Model model{means.data(), factors.data(), constants.data(), K, d, full};
    expect_rows(view(X), w.size() ? w.data() : nullptr, model, counts.data(), first.data(), second.data(),
                totals.data());
}

// l_i = log sum_k exp g_ik of TILE rows at a time, turned
HOT void log_sums_of(View2<const double> G, double *out) {
    const int64_t n = G.rows(), K = G.cols();
    double most[TILE], sum[TILE];
    for (int64_t start = 0; start < n; start += TILE) {
        const int64_t m = std::min(TILE, n - start);
        const double *g = G.row(start);
        for (int64_t r = 0; r < m; ++r) most[r] = g[r * K], sum[r] = 0.0;
        for (int64_t k = 1; k < K; ++k)
            for (int64_t r = 0; r < m; ++r) most[r] = g[r * K + k] > most[r] ? g[r * K + k] : most[r];
        for (int64_t k = 0; k < K; ++k)
            for (int64_t r = 0; r < m; ++r) sum[r] += exponential(g[r * K + k] - most[r]);
        for (int64_t r = 0; r < m; ++r)  // no component at all: -inf
            out[start + r] = most[r] == -INFINITY ? most[r] : most[r] + std::log(sum[r]);
    }
}

void log_sums(In2<double> G,  // in   (n, K)
              InOut1<double> out) {  // out  (n,)
    require(G.shape(1) > 0 && length(out) == length(G), "log_sums: a number for each row of at least one score");
    nb::gil_scoped_release unlocked;
    log_sums_of(view(G), out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "expect", &expect, "X", "w", "means", "factors", "constants", "counts", "first", "second", "totals");
    define(m, "log_sums", &log_sums, "G", "out");
}
