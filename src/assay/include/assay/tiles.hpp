// Linear scores of a tile of rows and the gradient that their residuals pull: shared by learners that go over rows once
// for a loss and its gradient. A tile stays in the first-level cache between the two.
#pragma once
#include <cstdint>

#include "assay/compiler.hpp"

namespace assay {

constexpr int64_t TILE = 32;
constexpr int64_t LANES = 4;  // numbers in one Lane
typedef double Lane __attribute__((vector_size(32), aligned(8), may_alias));

static INLINE void load(Lane &a, const double *p) { a = *reinterpret_cast<const Lane *>(p); }
static INLINE void load(Lane &a, const float *p) { a = Lane{p[0], p[1], p[2], p[3]}; }

// The sum of a tile's numbers, in lanes.
INLINE double total(const double *x, int64_t rows) {
    Lane s = {}, t = {}, a;
    int64_t i = 0;
    for (; i + 2 * LANES <= rows; i += 2 * LANES) {
        load(a, x + i);
        s += a;
        load(a, x + i + LANES);
        t += a;
    }
    s += t;
    double sum = (s[0] + s[1]) + (s[2] + s[3]);
    for (; i < rows; ++i) sum += x[i];
    return sum;
}

// The product of 1 + x_i of a tile, in lanes.
INLINE double product_of_ones_and(const double *x, int64_t rows) {
    Lane s = {1.0, 1.0, 1.0, 1.0}, t = s, a;
    int64_t i = 0;
    for (; i + 2 * LANES <= rows; i += 2 * LANES) {
        load(a, x + i);
        s *= 1.0 + a;
        load(a, x + i + LANES);
        t *= 1.0 + a;
    }
    s *= t;
    double product = (s[0] * s[1]) * (s[2] * s[3]);
    for (; i < rows; ++i) product *= 1.0 + x[i];
    return product;
}

// z_i = x_i . w for a tile of rows; four rows share the loads of w.
template <class T> static INLINE void dots(const T *X, int64_t rows, int64_t d, const double *w, double *z) {
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const T *x = X + i * d;
        Lane s[4] = {}, a, b;
        int64_t j = 0;
        for (; j + LANES <= d; j += LANES) {
            load(b, w + j);
            for (int r = 0; r < 4; ++r) {
                load(a, x + r * d + j);
                s[r] += a * b;
            }
        }
        for (int r = 0; r < 4; ++r) z[i + r] = (s[r][0] + s[r][1]) + (s[r][2] + s[r][3]);
        for (; j < d; ++j)
            for (int r = 0; r < 4; ++r) z[i + r] += x[r * d + j] * w[j];
    }
    for (; i < rows; ++i) {
        double s = 0.0;
        for (int64_t j = 0; j < d; ++j) s += X[i * d + j] * w[j];
        z[i] = s;
    }
}

// g += sum_i r_i x_i for a tile of rows; eight rows share the load and store of g.
template <class T> static INLINE void pull(const T *X, int64_t rows, int64_t d, const double *r, double *g) {
    int64_t i = 0;
    for (; i + 8 <= rows; i += 8) {
        const T *x = X + i * d;
        int64_t j = 0;
        for (; j + LANES <= d; j += LANES) {
            Lane s, t = {}, a;
            load(s, g + j);
            for (int q = 0; q < 8; q += 2) {
                load(a, x + q * d + j);
                s += r[i + q] * a;
                load(a, x + (q + 1) * d + j);
                t += r[i + q + 1] * a;
            }
            *reinterpret_cast<Lane *>(g + j) = s + t;
        }
        for (; j < d; ++j)
            for (int q = 0; q < 8; ++q) g[j] += r[i + q] * x[q * d + j];
    }
    for (; i < rows; ++i)
        for (int64_t j = 0; j < d; ++j) g[j] += r[i] * X[i * d + j];
}

}  // namespace assay
