// Losses of boosting: gradient and curvature of each row, as whole numbers that add up exactly.
//
//     g_i = w_i dL/df(y_i, f_i),  h_i = w_i d2L/df2(y_i, f_i);   cell_i = (round(g_i / unit_g), round(h_i / unit_h))
//
//     squared    L = (f - y)^2 / 2                 g = f - y                h = 1
//     absolute   L = |f - y|                       g = sign(f - y)          h = 1 (a step size, not a curvature)
//     pinball    L = (y - f)(q - [y < f])          g = [y < f] - q          h = 1
//     poisson    L = e^f - y f                     g = e^f - y              h = e^f
//     gamma      L = f + y e^-f                    g = 1 - y e^-f           h = y e^-f
//     binomial   L = ln(1 + e^f) - y f             g = p - y                h = p (1 - p),   p = 1 / (1 + e^-f)
//     class k    L = ln sum_j e^f_j - f_y          g = p - [y = k]          h = p (1 - p),   p = e^(f_k - m) / s
//
// with m the largest score of the row and s = sum_j e^(f_j - m), worked out once a round.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/array.hpp"
#include "assay/exponential.hpp"

#define INLINE __attribute__((always_inline)) inline

namespace assay::boosting {

enum LossKind { SQUARED, ABSOLUTE, PINBALL, POISSON, GAMMA, BINOMIAL, ONE_OF_MANY };

struct Rows {                                 // what a loss reads; one entry a row
    const double *raw, *y, *w;                // scores f, targets (codes of classes), weights or null
    const double *top, *inverse;              // m and 1 / s, for one class of many
    double parameter;                         // q of the pinball, the class k of one of many
};

struct Step {
    float g, h;
};                  // gradient and curvature in units, not rounded: for the values of leaves

struct Extent {
    double g, h, sum_g;
};        // largest |g|, largest h, sum of |g|

template <LossKind L>
static INLINE void derivatives(const Rows &R, int64_t i, double &g, double &h) {
    const double f = R.raw[i], y = R.y[i];
    if constexpr (L == SQUARED) g = f - y, h = 1.0;
    if constexpr (L == ABSOLUTE) g = f > y ? 1.0 : -1.0, h = 1.0;
    if constexpr (L == PINBALL) g = (y < f ? 1.0 : 0.0) - R.parameter, h = 1.0;
    if constexpr (L == POISSON) h = exponential(f), g = h - y;
    if constexpr (L == GAMMA) h = y * exponential(-f), g = 1.0 - h;
    if constexpr (L == BINOMIAL) {
        const double p = 1.0 / (1.0 + exponential(-f));
        g = p - y, h = p * (1.0 - p);
    }
    if constexpr (L == ONE_OF_MANY) {
        const double p = exponential(f - R.top[i]) * R.inverse[i];
        g = p - (y == R.parameter ? 1.0 : 0.0), h = p * (1.0 - p);
    }
}

template <LossKind L, bool WEIGHTED>
static INLINE void weighed(const Rows &R, int64_t i, double &g, double &h) {
    derivatives<L>(R, i, g, h);
    if constexpr (WEIGHTED) g *= R.w[i], h *= R.w[i];
}

template <LossKind L, bool WEIGHTED>
static INLINE Extent extent_of(const Rows &R, int64_t a, int64_t b) {
    constexpr int64_t LANES = 8;
    double top_g[LANES] = {0.0}, top_h[LANES] = {0.0}, sum[LANES] = {0.0};
    const int64_t whole = a + (b - a) / LANES * LANES;
    for (int64_t i = a; i < b; i += LANES)
        for (int64_t l = 0; l < (i < whole ? LANES : b - whole); ++l) {
            double g, h;
            weighed<L, WEIGHTED>(R, i + l, g, h);
            g = std::fabs(g);
            top_g[l] = top_g[l] > g ? top_g[l] : g;  // a NaN stays
            top_h[l] = top_h[l] > h ? top_h[l] : h;
            sum[l] += g;
        }
    Extent e{0.0, 0.0, 0.0};
    for (int64_t l = 0; l < LANES; ++l) {
        e.g = e.g > top_g[l] ? e.g : top_g[l], e.h = e.h > top_h[l] ? e.h : top_h[l], e.sum_g += sum[l];
    }
    return e;
}

// Wide cells: g, and h << count_bits | 1. Narrow cells, where h is 1 for all: g << count_bits | 1.
template <LossKind L, bool WEIGHTED, bool WIDE>
static INLINE void cells_of(const Rows &R, int64_t a, int64_t b, double scale_g, double scale_h, int count_bits,
                            int64_t *cells, Step *steps) {
    const int64_t one = int64_t(1) << count_bits;
    for (int64_t i = a; i < b; ++i) {
        double g, h;
        weighed<L, WEIGHTED>(R, i, g, h);
        const int64_t whole = nearest(g * scale_g);
        if constexpr (WIDE) {
            cells[2 * i] = whole;
            cells[2 * i + 1] = nearest(h * scale_h) * one + 1;
            steps[i] = {float(g * scale_g), float(h * scale_h)};
        } else {
            cells[i] = whole * one + 1;
        }
    }
}

// One call for each kind, so that the loops inside are compiled for each instruction set.
#define FOR_EACH_LOSS(RUN)                   \
    switch (kind) {                          \
        case SQUARED: RUN(SQUARED); break;   \
        case ABSOLUTE: RUN(ABSOLUTE); break; \
        case PINBALL: RUN(PINBALL); break;   \
        case POISSON: RUN(POISSON); break;   \
        case GAMMA: RUN(GAMMA); break;       \
        case BINOMIAL: RUN(BINOMIAL); break; \
        default: RUN(ONE_OF_MANY); break;    \
    }

HOT static Extent extent(int kind, const Rows &R, int64_t a, int64_t b){
#define RUN(L) return R.w ? extent_of<L, true>(R, a, b) : extent_of<L, false>(R, a, b)
    FOR_EACH_LOSS(RUN)
#undef RUN
}

HOT static void wide_cells(int kind, const Rows &R, int64_t a, int64_t b, double scale_g, double scale_h,
                           int count_bits, int64_t *cells, Step *steps){
#define RUN(L)                                                                         \
    R.w ? cells_of<L, true, true>(R, a, b, scale_g, scale_h, count_bits, cells, steps) \
        : cells_of<L, false, true>(R, a, b, scale_g, scale_h, count_bits, cells, steps)
    FOR_EACH_LOSS(RUN)
#undef RUN
}

HOT static void narrow_cells(int kind, const Rows &R, int64_t a, int64_t b, double scale_g, int count_bits,
                             int64_t *cells) {
    if (kind == SQUARED) cells_of<SQUARED, false, false>(R, a, b, scale_g, 0.0, count_bits, cells, nullptr);
    else if (kind == ABSOLUTE) cells_of<ABSOLUTE, false, false>(R, a, b, scale_g, 0.0, count_bits, cells, nullptr);
    else cells_of<PINBALL, false, false>(R, a, b, scale_g, 0.0, count_bits, cells, nullptr);
}

// m_i = max_k raw_ki and 1 / s_i of rows a to b; raw is (K, n), a row of it for each class.
HOT static void normalise(View2<const double> raw, int64_t a, int64_t b, double *top, double *inverse) {
    for (int64_t i = a; i < b; ++i) top[i] = raw.row(0)[i], inverse[i] = 0.0;
    for (int64_t k = 1; k < raw.rows(); ++k)
        for (int64_t i = a; i < b; ++i) top[i] = raw.row(k)[i] > top[i] ? raw.row(k)[i] : top[i];
    for (int64_t k = 0; k < raw.rows(); ++k)
        for (int64_t i = a; i < b; ++i) inverse[i] += exponential(raw.row(k)[i] - top[i]);
    for (int64_t i = a; i < b; ++i) inverse[i] = 1.0 / inverse[i];
}

// ln(1 + e^f) - y f of rows a to b: logarithms are taken of products, 256 factors between 1 and 2 at a time.
HOT static double binomial_loss(const double *f, const double *y, int64_t a, int64_t b) {
    constexpr int64_t LANES = 8, RUN = 256;
    double linear = 0.0, logs = 0.0;
    for (int64_t c = a; c < b; c += LANES * RUN) {
        double product[LANES], sum[LANES];
        for (int64_t l = 0; l < LANES; ++l) product[l] = 1.0, sum[l] = 0.0;
        const int64_t stop = std::min(b, c + LANES * RUN), whole = c + (stop - c) / LANES * LANES;
        for (int64_t i = c; i < whole; i += LANES)
            for (int64_t l = 0; l < LANES; ++l) {
                const double v = f[i + l];
                product[l] *= 1.0 + exponential(-std::fabs(v));
                sum[l] += (v > 0.0 ? v : 0.0) - y[i + l] * v;
            }
        for (int64_t i = whole; i < stop; ++i) {
            product[i - whole] *= 1.0 + exponential(-std::fabs(f[i]));
            sum[i - whole] += (f[i] > 0.0 ? f[i] : 0.0) - y[i] * f[i];
        }
        for (int64_t l = 0; l < LANES; ++l) linear += sum[l], logs += std::log(product[l]);
    }
    return linear + logs;
}

// By how much a step t lowers the loss of a leaf of gradient sum G and curvature sum H, at least:
//
//     squared             -G t - H t^2 / 2                 exactly
//     poisson, gamma      -G t - H (e^(+-t) -+ t - 1)      exactly
//     binomial, class k   -G t - H (e^|t| - |t| - 1)       since |d3L| <= d2L   (Bach 2010, Self-concordant analysis
//                                                          for logistic regression, Proposition 1)
inline double least_decrease(int kind, double G, double H, double t) {
    if (kind <= PINBALL) return -G * t - 0.5 * H * t * t;
    const double u = kind == POISSON ? t : kind == GAMMA ? -t : std::fabs(t);
    return -G * t - H * (std::expm1(u) - u);
}

// The step of least loss by that bound: the Newton step v of the squared loss, else ln(1 + |v|) in v's direction (of
// poisson and gamma there may be a better one, this one is never too long).
inline double cautious_step(int kind, double v) {
    return kind <= PINBALL ? v : std::copysign(std::log1p(std::fabs(v)), v);
}

// By how much a step t of this score alone lowers the loss of row i: y t - ln(1 - p + p e^t).
inline double decrease_of_row(int kind, const Rows &R, int64_t i, double t) {
    const double f = R.raw[i];
    double odds = kind == BINOMIAL ? f : 0.0;  // the log odds of p
    bool is_class = R.y[i] == 1.0;
    if (kind == ONE_OF_MANY) {
        const double p = std::exp(f - R.top[i]) * R.inverse[i];
        odds = p < 1.0 ? std::log(p) - std::log1p(-p) : 37.0;
        is_class = R.y[i] == R.parameter;
    }
    auto softplus = [](double x) { return (x > 0.0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x))); };
    const double lower = softplus(odds) - softplus(odds + t) + (is_class ? t : 0.0);
    return R.w ? R.w[i] * lower : lower;
}

// ln(sum_k e^raw_ki) - raw_(y_i)i, weighted and summed over rows a to b, from m and 1 / s. Without weights, logarithms
// are taken of products of 32 of the 1 / s, which lie between 1 / K and 1.
HOT static double softmax_loss(View2<const double> raw, const double *y, const double *w, const double *top,
                               const double *inverse, int64_t a, int64_t b) {
    constexpr int64_t RUN = 32;
    double sum = 0.0;
    for (int64_t c = a; c < b; c += RUN) {
        const int64_t stop = std::min(b, c + RUN);
        double product = 1.0;
        for (int64_t i = c; i < stop; ++i) {
            const double linear = top[i] - raw.row(int64_t(y[i]))[i];
            if (w) sum += w[i] * (linear - std::log(inverse[i]));
            else sum += linear, product *= inverse[i];
        }
        sum -= std::log(product);
    }
    return sum;
}

// The weighted sum of losses of rows a to b.
HOT static double loss_sum(int kind, const Rows &R, int64_t a, int64_t b) {
    if (kind == BINOMIAL && !R.w) return binomial_loss(R.raw, R.y, a, b);
    double sum = 0.0;
    for (int64_t i = a; i < b; ++i) {
        const double f = R.raw[i], y = R.y[i], w = R.w ? R.w[i] : 1.0;
        double loss = 0.0;
        if (kind == SQUARED) loss = 0.5 * (f - y) * (f - y);
        else if (kind == ABSOLUTE) loss = std::fabs(f - y);
        else if (kind == PINBALL) loss = (y - f) * (R.parameter - (y < f ? 1.0 : 0.0));
        else if (kind == POISSON) loss = exponential(f) - y * f;
        else if (kind == GAMMA) loss = f + y * exponential(-f);
        else loss = std::log1p(exponential(-std::fabs(f))) + (f > 0.0 ? f : 0.0) - y * f;
        sum += w * loss;
    }
    return sum;
}

}  // namespace assay::boosting
