// What rows of observations say of states: log densities, and the sums by which states are estimated anew.
//
//     Gaussian:   l_tk = c_k - 1/2 || W_k (x_t - m_k) ||^2                  W_k lower triangular, or diagonal
//     sums:       N_k = sum_t g_tk,   F_k = sum_t g_tk (x_t - m_k),   S_k = sum_t g_tk (x_t - m_k)(x_t - m_k)'
//     symbols:    C_mk = sum over the rows with symbol m of g_tk
//
// States are the last axis, padded to P, so that all of them are computed at once. Sums are about the current means,
// which loses no digits however far the rows lie from 0. Twin in NumPy: tests/sequences/test_emissions.py.
#include <cmath>
#include <cstring>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t ROWS_AT_ONCE = 64;

typedef double Four __attribute__((vector_size(32)));  // four states at once, in one register

__attribute__((always_inline)) inline Four four(const double *from) {
    Four v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

// (d, P) means, (d, P) or (d (d + 1) / 2, P) factors row by row of the triangle. A missing entry (NaN) of a diagonal
// model adds nothing; a full one must be complete. P is a multiple of 4.
HOT void log_densities(View2<const double> X, const double *means, const double *factors, bool full,
                       const double *constants, int64_t P, double *L) {
    const int64_t n = X.rows(), d = X.cols(), height = full ? d * (d + 1) / 2 : d;
    std::vector<double> of_group(4 * (3 * d + height) + 4);
    const auto place = reinterpret_cast<std::uintptr_t>(of_group.data());
    Four *mean = reinterpret_cast<Four *>((place + 31) / 32 * 32), *factor = mean + d, *gap = factor + height,
         *left_out = gap + d;
    for (int64_t k = 0; k < P; k += 4) {
        const Four constant = four(constants + k);
        for (int64_t i = 0; i < d; ++i) mean[i] = four(means + i * P + k);
        for (int64_t i = 0; i < height; ++i) factor[i] = four(factors + i * P + k);
        if (!full)  // what the constant has of a column
            for (int64_t i = 0; i < d; ++i)
                for (int64_t j = 0; j < 4; ++j) left_out[i][j] = std::log(factor[i][j]) - 0.918938533204672741780;
        for (int64_t t = 0; t < n; ++t) {
            const double *x = X.row(t);
            Four norm = {0.0, 0.0, 0.0, 0.0}, l = constant;
            if (full) {
                const Four *w = factor;
                for (int64_t i = 0; i < d; ++i) {
                    gap[i] = x[i] - mean[i];
                    Four sum = {0.0, 0.0, 0.0, 0.0};
                    for (int64_t j = 0; j <= i; ++j) sum += *w++ * gap[j];
                    norm += sum * sum;
                }
            } else
                for (int64_t i = 0; i < d; ++i) {
                    if (x[i] != x[i]) {
                        l -= left_out[i];
                        continue;
                    }
                    const Four s = (x[i] - mean[i]) * factor[i];
                    norm += s * s;
                }
            l -= 0.5 * norm;
            std::memcpy(L + t * P + k, &l, sizeof l);
        }
    }
}

// A column of a block of rows at a time, so that its sums stay in registers. W: the number of states if known, else 0.
template <int W>
__attribute__((always_inline)) inline void moments(View2<const double> X, const double *gamma, const double *means,
                                                   bool full, int64_t width, double *counts, double *first,
                                                   double *second) {
    const int64_t n = X.rows(), d = X.cols(), P = W ? W : width;
    double c_[W ? W : 1], f_[W ? W : 1], s_[W ? W : 1];
    std::vector<double> work(W ? 0 : 3 * P), gap(full ? ROWS_AT_ONCE * d * P : 0);
    double *c = W ? c_ : work.data(), *f = W ? f_ : work.data() + P, *s = W ? s_ : work.data() + 2 * P;
    for (int64_t t0 = 0; t0 < n; t0 += ROWS_AT_ONCE) {
        const int64_t many = n - t0 < ROWS_AT_ONCE ? n - t0 : ROWS_AT_ONCE;
        const double *g0 = gamma + t0 * P;
        double *to = second;
        for (int64_t i = 0; i < d; ++i) {
            const double *m = means + i * P;
            for (int64_t k = 0; k < P; ++k) c[k] = f[k] = s[k] = 0.0;
            for (int64_t t = 0; t < many; ++t) {
                const double x = X.row(t0 + t)[i], *g = g0 + t * P;
                if (x != x) continue;
                for (int64_t k = 0; k < P; ++k) {
                    const double at = x - m[k], weighed = g[k] * at;
                    c[k] += g[k];
                    f[k] += weighed;
                    s[k] += weighed * at;
                }
            }
            for (int64_t k = 0; k < P; ++k) counts[i * P + k] += c[k], first[i * P + k] += f[k];
            if (!full) {
                for (int64_t k = 0; k < P; ++k) to[k] += s[k];
                to += P;
                continue;
            }
            double *own = gap.data() + i * ROWS_AT_ONCE * P;
            for (int64_t t = 0; t < many; ++t)
                for (int64_t k = 0; k < P; ++k) own[t * P + k] = X.row(t0 + t)[i] - m[k];
            for (int64_t j = 0; j < i; ++j, to += P) {
                const double *other = gap.data() + j * ROWS_AT_ONCE * P;
                for (int64_t k = 0; k < P; ++k) c[k] = 0.0;
                for (int64_t t = 0; t < many; ++t)
                    for (int64_t k = 0; k < P; ++k) c[k] += g0[t * P + k] * own[t * P + k] * other[t * P + k];
                for (int64_t k = 0; k < P; ++k) to[k] += c[k];
            }
            for (int64_t k = 0; k < P; ++k) to[k] += s[k];
            to += P;
        }
    }
}

#define MOMENTS(W)                                                                                              \
    HOT void moments_##W(View2<const double> X, const double *gamma, const double *means, bool full, int64_t P, \
                         double *counts, double *first, double *second) {                                       \
        moments<W>(X, gamma, means, full, P, counts, first, second);                                            \
    }
MOMENTS(0)
MOMENTS(4)
MOMENTS(8)
MOMENTS(16)
MOMENTS(20)
MOMENTS(24)
#undef MOMENTS

int64_t triangle(int64_t d) { return sized(d, d + 1, "too many columns") / 2; }

void gaussian(In2<double> X,  // in      (n, d)
              In2<double> means,  // in      (d, P)
              In2<double> factors,  // in      (d, P), or (d (d + 1) / 2, P)
              bool full,
              In1<double> constants,  // in      (P,)
              InOut2<double> L) {  // out     (n, P)
    const int64_t n = X.shape(0), d = X.shape(1), P = length(constants);
    require(length(means) == d && int64_t(means.shape(1)) == P && length(factors) == (full ? triangle(d) : d) &&
                int64_t(factors.shape(1)) == P && int64_t(L.shape(0)) == n && int64_t(L.shape(1)) == P && P % 4 == 0,
            "gaussian: means, factors and densities must fit, their columns a multiple of 4");
    nb::gil_scoped_release unlocked;
    log_densities(view(X), means.data(), factors.data(), full, constants.data(), P, L.data());
}

void gaussian_sums(In2<double> X,  // in      (n, d)
                   In2<double> gamma,  // in      (n, P)
                   In2<double> means,  // in      (d, P)
                   bool full,
                   InOut2<double> counts,  // in/out  (d, P) of the rows where each column is there
                   InOut2<double> first,  // in/out  (d, P)
                   InOut2<double> second) {  // in/out  (d, P), or (d (d + 1) / 2, P)
    const int64_t n = X.shape(0), d = X.shape(1), P = gamma.shape(1);
    require(length(gamma) == n && length(means) == d && int64_t(means.shape(1)) == P && length(counts) == d &&
                int64_t(counts.shape(1)) == P && length(first) == d && int64_t(first.shape(1)) == P &&
                length(second) == (full ? triangle(d) : d) && int64_t(second.shape(1)) == P,
            "gaussian_sums: means and sums must fit");
    nb::gil_scoped_release unlocked;
    const auto add = P == 4    ? moments_4
                     : P == 8  ? moments_8
                     : P == 16 ? moments_16
                     : P == 20 ? moments_20
                     : P == 24 ? moments_24
                               : moments_0;
    add(view(X), gamma.data(), means.data(), full, P, counts.data(), first.data(), second.data());
}

HOT void add_rows(const int64_t *codes, int64_t n, const double *gamma, int64_t P, double *counts) {
    for (int64_t t = 0; t < n; ++t) {
        const double *g = gamma + t * P;
        double *c = counts + codes[t] * P;
        for (int64_t k = 0; k < P; ++k) c[k] += g[k];
    }
}

void symbol_sums(In1<int64_t> codes,  // in      (n,)   from 0 to M - 1
                 In2<double> gamma,  // in      (n, P)
                 InOut2<double> counts) {  // in/out  (M, P)
    const int64_t n = length(codes);
    require(length(gamma) == n && gamma.shape(1) == counts.shape(1) && within(codes, 0, length(counts)),
            "symbol_sums: codes must be rows of counts, which has the columns of gamma");
    nb::gil_scoped_release unlocked;
    add_rows(codes.data(), n, gamma.data(), gamma.shape(1), counts.data());
}

HOT void take_rows(const int64_t *codes, int64_t n, const double *table, int64_t P, double *F) {
    for (int64_t t = 0; t < n; ++t)
        for (int64_t k = 0; k < P; ++k) F[t * P + k] = table[codes[t] * P + k];
}

void symbol_densities(In1<int64_t> codes,  // in      (n,)
                      In2<double> table,  // in      (M, P)
                      InOut2<double> F) {  // out     (n, P)
    const int64_t n = length(codes);
    require(length(F) == n && F.shape(1) == table.shape(1) && within(codes, 0, length(table)),
            "symbol_densities: codes must be rows of the table, which has the columns of the densities");
    nb::gil_scoped_release unlocked;
    take_rows(codes.data(), n, table.data(), table.shape(1), F.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "gaussian", &gaussian, "X", "means", "factors", "full", "constants", "L");
    define(m, "gaussian_sums", &gaussian_sums, "X", "gamma", "means", "full", "counts", "first", "second");
    define(m, "symbol_sums", &symbol_sums, "codes", "gamma", "counts");
    define(m, "symbol_densities", &symbol_densities, "codes", "table", "F");
}
