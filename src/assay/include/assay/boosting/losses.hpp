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
#include "assay/exact_sum.hpp"
#include "assay/exponential.hpp"

namespace assay::boosting {

enum LossKind { SQUARED, ABSOLUTE, PINBALL, POISSON, GAMMA, BINOMIAL, ONE_OF_MANY };

struct Rows {                                 // what a loss reads; one entry a row
    const double *raw, *y, *w;                // scores f, targets (codes of classes), weights or null
    const double *top, *inverse;              // m and 1 / s, for one class of many
    double parameter;                         // q of the pinball, the class k of one of many
};

constexpr double PARTS = 0x1p31;  // parts of a unit

struct Step {
    int32_t g, h;  // what rounding gradient and curvature to units left over, in parts: for the values of leaves
};

struct Parts {     // sums of steps
    int64_t g = 0, h = 0;
    void operator+=(const Step &s) { g += s.g, h += s.h; }
    void operator+=(const Parts &s) { g += s.g, h += s.h; }
};

struct Extent {
    double g, h;   // largest |g|, largest h
};

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
    double top_g[LANES] = {0.0}, top_h[LANES] = {0.0};
    const int64_t whole = a + (b - a) / LANES * LANES;
    for (int64_t i = a; i < b; i += LANES)
        for (int64_t l = 0; l < (i < whole ? LANES : b - whole); ++l) {
            double g, h;
            weighed<L, WEIGHTED>(R, i + l, g, h);
            g = std::fabs(g);
            top_g[l] = top_g[l] > g ? top_g[l] : g;  // a NaN stays
            top_h[l] = top_h[l] > h ? top_h[l] : h;
        }
    Extent e{0.0, 0.0};
    for (int64_t l = 0; l < LANES; ++l) {
        e.g = e.g > top_g[l] ? e.g : top_g[l], e.h = e.h > top_h[l] ? e.h : top_h[l];
    }
    return e;
}

// What rounding to a whole number leaves over, in parts.
static INLINE int32_t left_over(double x) { return int32_t((x - ((x + ROUNDING) - ROUNDING)) * PARTS); }

// Wide cells: g, and h << count_bits | 1. Narrow cells, where h is 1 for all: g << count_bits | 1.
template <LossKind L, bool WEIGHTED, bool WIDE>
static INLINE void cells_of(const Rows &R, int64_t a, int64_t b, double scale_g, double scale_h, int count_bits,
                            int64_t *cells, Step *steps) {
    const int64_t one = int64_t(1) << count_bits;
    // What units_for leaves room for: rows for which the units were not made must not overflow.
    const double most_h = std::ldexp(1.0, std::min({50, 53 - count_bits, 62 - 2 * count_bits}));
    const double most_g =
        WIDE ? std::ldexp(1.0, std::min(50, 53 - count_bits)) : std::ldexp(1.0, std::min(50, 62 - 2 * count_bits));
    for (int64_t i = a; i < b; ++i) {
        double g, h;
        weighed<L, WEIGHTED>(R, i, g, h);
        g *= scale_g;
        g = g > -most_g ? g : -most_g, g = g < most_g ? g : most_g;
        if constexpr (WIDE) {
            h *= scale_h;
            h = h > 0.0 ? h : 0.0, h = h < most_h ? h : most_h;
            cells[2 * i] = nearest(g);
            cells[2 * i + 1] = nearest(h) * one + 1;
            steps[i] = {left_over(g), left_over(h)};
        } else {
            cells[i] = nearest(g) * one + 1;
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
[[maybe_unused]] HOT static void normalise(View2<const double> raw, int64_t a, int64_t b, double *top,
                                           double *inverse) {
    for (int64_t i = a; i < b; ++i) top[i] = raw.row(0)[i], inverse[i] = 0.0;
    for (int64_t k = 1; k < raw.rows(); ++k)
        for (int64_t i = a; i < b; ++i) top[i] = raw.row(k)[i] > top[i] ? raw.row(k)[i] : top[i];
    for (int64_t k = 0; k < raw.rows(); ++k)
        for (int64_t i = a; i < b; ++i) inverse[i] += exponential(raw.row(k)[i] - top[i]);
    for (int64_t i = a; i < b; ++i) inverse[i] = 1.0 / inverse[i];
}

// ln(1 + e^f) - y f of m rows.
HOT static void binomial_losses(const double *f, const double *y, const double *w, int64_t m, double *out) {
    for (int64_t i = 0; i < m; ++i)
        out[i] = log_one_plus(exponential(-std::fabs(f[i]))) + ((f[i] > 0.0 ? f[i] : 0.0) - y[i] * f[i]);
    if (w)
        for (int64_t i = 0; i < m; ++i) out[i] *= w[i];
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

// ln(sum_k e^raw_ki) - raw_(y_i)i, weighted, of rows a to b, from m and 1 / s, added to an exact sum.
[[maybe_unused]] static void add_softmax_losses(View2<const double> raw, const double *y, const double *w,
                                                const double *top, const double *inverse, int64_t a, int64_t b,
                                                int64_t *parts) {
    for (int64_t i = a; i < b; ++i) {
        const double loss = top[i] - raw.row(int64_t(y[i]))[i] - std::log(inverse[i]);
        add_exactly(w ? w[i] * loss : loss, parts);
    }
}

// The weighted losses of rows a to b, added to an exact sum.
[[maybe_unused]] static void add_losses(int kind, const Rows &R, int64_t a, int64_t b, int64_t *parts) {
    constexpr int64_t RUN = 512;
    double losses[RUN];
    for (int64_t c = a; c < b; c += RUN) {
        const int64_t m = std::min(RUN, b - c);
        if (kind == BINOMIAL) {
            binomial_losses(R.raw + c, R.y + c, R.w ? R.w + c : nullptr, m, losses);
        } else {
            for (int64_t i = 0; i < m; ++i) {
                const double f = R.raw[c + i], y = R.y[c + i];
                double loss = 0.0;
                if (kind == SQUARED) loss = 0.5 * (f - y) * (f - y);
                else if (kind == ABSOLUTE) loss = std::fabs(f - y);
                else if (kind == PINBALL) loss = (y - f) * (R.parameter - (y < f ? 1.0 : 0.0));
                else if (kind == POISSON) loss = exponential(f) - y * f;
                else loss = f + y * exponential(-f);
                losses[i] = R.w ? R.w[c + i] * loss : loss;
            }
        }
        for (int64_t i = 0; i < m; ++i) add_exactly(losses[i], parts);
    }
}

}  // namespace assay::boosting
