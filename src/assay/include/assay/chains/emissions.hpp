// What rows of observations say of states: log densities, and the sums by which states are estimated anew.
//
//     Gaussian:   l_tk = c_k - 1/2 || W_k (x_t - m_k) ||^2                  W_k lower triangular, or diagonal
//     sums:       N_k = sum_t g_tk,   F_k = sum_t g_tk (x_t - m_k),   S_k = sum_t g_tk (x_t - m_k)(x_t - m_k)'
//     symbols:    C_mk = sum over the rows with symbol m of g_tk
//
// States are the last axis, padded to P, so that all of them are computed at once. Sums are about the current means,
// which loses no digits however far the rows lie from 0.
#pragma once
#include <cmath>
#include <cstring>
#include <vector>

#include "assay/array.hpp"
#include "assay/chains/forward_backward.hpp"

namespace assay::chains {

constexpr int64_t ROWS_AT_ONCE = 64;

// (d, P) means, (d, P) or (d (d + 1) / 2, P) factors row by row of the triangle. A missing entry (NaN) of a diagonal
// model adds nothing; a full one must be complete. P is a multiple of 4.
[[maybe_unused]] HOT static void log_densities(View2<const double> X, const double *means, const double *factors,
                                               bool full, const double *constants, int64_t P, double *L) {
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

// A column of a block of rows at a time, for as many states as V holds, so that sums stay in registers.
template <class V>
INLINE void moments(View2<const double> X, const double *gamma, const double *means, bool full, int64_t P,
                    double *counts, double *first, double *second) {
    constexpr int64_t G = sizeof(V) / sizeof(double);
    const int64_t n = X.rows(), d = X.cols();
    std::vector<double> work((full ? d + 2 : 1) * ROWS_AT_ONCE * G + G);
    const auto place = reinterpret_cast<std::uintptr_t>(work.data());
    V *g = reinterpret_cast<V *>((place + sizeof(V) - 1) / sizeof(V) * sizeof(V));
    V *weighed = g + ROWS_AT_ONCE, *gap = weighed + ROWS_AT_ONCE;
    const auto read = [](const double *from) __attribute__((always_inline)) {
        V v;
        std::memcpy(&v, from, sizeof v);
        return v;
    };
    const auto add = [](double *to, const V &sum) __attribute__((always_inline)) {
        for (int64_t k = 0; k < G; ++k) to[k] += sum[k];
    };
    for (int64_t t0 = 0; t0 < n; t0 += ROWS_AT_ONCE) {
        const int64_t many = n - t0 < ROWS_AT_ONCE ? n - t0 : ROWS_AT_ONCE;
        for (int64_t k = 0; k < P; k += G) {
            for (int64_t t = 0; t < many; ++t) g[t] = read(gamma + (t0 + t) * P + k);
            double *to = second + k;
            for (int64_t i = 0; i < d; ++i, to += P) {
                const V m = read(means + i * P + k);
                V c = {}, f = {}, s = {};
                for (int64_t t = 0; t < many; ++t) {
                    const double x = X.row(t0 + t)[i];
                    if (x != x) continue;
                    const V at = x - m, moved = g[t] * at;
                    c += g[t];
                    f += moved;
                    s += moved * at;
                    if (full) gap[i * ROWS_AT_ONCE + t] = at, weighed[t] = moved;
                }
                add(counts + i * P + k, c);
                add(first + i * P + k, f);
                if (full)
                    for (int64_t j = 0; j < i; ++j, to += P) {
                        const V *other = gap + j * ROWS_AT_ONCE;
                        V even = {}, odd = {};
                        for (int64_t t = 0; t + 1 < many; t += 2) {
                            even += weighed[t] * other[t];
                            odd += weighed[t + 1] * other[t + 1];
                        }
                        if (many % 2) even += weighed[many - 1] * other[many - 1];
                        add(to, even + odd);
                    }
                add(to, s);
            }
        }
    }
}

typedef double Eight __attribute__((vector_size(64)));

[[maybe_unused]] HOT static void moments_by_4(View2<const double> X, const double *gamma, const double *means,
                                              bool full, int64_t P, double *counts, double *first, double *second) {
    moments<Four>(X, gamma, means, full, P, counts, first, second);
}
[[maybe_unused]] HOT static void moments_by_8(View2<const double> X, const double *gamma, const double *means,
                                              bool full, int64_t P, double *counts, double *first, double *second) {
    moments<Eight>(X, gamma, means, full, P, counts, first, second);
}

// Adds what the rows add, by their posterior; P is a multiple of 4. A missing entry of a full model must not be.
inline void add_moments(View2<const double> X, const double *gamma, const double *means, bool full, int64_t P,
                        double *counts, double *first, double *second) {
    const auto add = P % 8 == 0 ? moments_by_8 : moments_by_4;
    add(X, gamma, means, full, P, counts, first, second);
}

[[maybe_unused]] HOT static void add_rows(const int64_t *codes, int64_t n, const double *gamma, int64_t P,
                                          double *counts) {
    for (int64_t t = 0; t < n; ++t) {
        const double *g = gamma + t * P;
        double *c = counts + codes[t] * P;
        for (int64_t k = 0; k < P; ++k) c[k] += g[k];
    }
}

[[maybe_unused]] HOT static void take_rows(const int64_t *codes, int64_t n, const double *table, int64_t P, double *F) {
    for (int64_t t = 0; t < n; ++t)
        for (int64_t k = 0; k < P; ++k) F[t * P + k] = table[codes[t] * P + k];
}

}  // namespace assay::chains
