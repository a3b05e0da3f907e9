// The best split of one column of a node, from its histogram.
//
//     value(G, H) = clip(-G / (H + l2), lower, upper)
//     gain        = G value(G, H) - G_L value(G_L, H_L) - G_R value(G_R, H_R)
//
// taken over the boundaries between bins, with missing values to the right and, if there are any, to the left.
// Nominal columns: the bins that hold enough rows in order of G / (H + 10), then boundaries in that order, from either
// end to the middle; all other bins go right. A split is allowed if both sides have enough rows and curvature, and
// values in the order that a monotonic constraint asks for. Among gains that are equal to 1e-10: missing to the right
// before left, then the lowest boundary (the highest, of those with missing to the left).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "assay/boosting/histogram.hpp"

namespace assay::boosting {

constexpr double SUPPORT = 10.0;     // rows (by share of curvature) that a category needs to be placed by its own
constexpr double TINY = 1e-15;       // so that no denominator is 0
constexpr double MIN_CURVATURE = 1e-3;
constexpr double ROUNDING_OFF = 1e-12;  // a gain that is smaller, beside its terms, is none
constexpr double TIE = 1.0 + 1e-10;     // gains that are closer are equal

struct Sums {
    int64_t g = 0, h = 0, count = 0;  // in units
    Sums operator-(const Sums &b) const { return {g - b.g, h - b.h, count - b.count}; }
    void operator+=(const Sums &b) { g += b.g, h += b.h, count += b.count; }
};

struct Units {                        // how whole numbers are read
    bool wide;
    int count_bits;
    double g, h;
    int64_t mask() const { return (int64_t(1) << count_bits) - 1; }
    Sums sums(const int64_t *cell) const {
        if (wide) return {cell[0], cell[1] >> count_bits, cell[1] & mask()};
        return {cell[0] >> count_bits, cell[0] & mask(), cell[0] & mask()};
    }
};

struct Rules {
    double l2, min_rows;
    double lower, upper;              // bounds of the children's values
    int monotonic;                    // -1, 0, 1
    double least_gain = 0.0;          // what rounding to units alone may bring
};

struct Split {
    double gain = -1.0, left_value = 0.0, right_value = 0.0;
    int32_t column = -1, bin = 0;     // nominal: how many bins from the start (or, negative, from the end) go left
    bool missing_left = false, nominal = false;
    Sums left;
};

inline double node_value(double g, double h, const Rules &R) {
    const double v = -g / (h + R.l2 + TINY);
    return v < R.lower ? R.lower : v > R.upper ? R.upper : v;
}

struct Candidates {  // boundaries of a column: sums to the left of each, and what a split there gains
    std::vector<double> g, h, c, left, right, gain;
    std::vector<int32_t> bin;  // the last bin to the left
    explicit Candidates(int64_t m) : g(m + 1), h(m + 1), c(m + 1), left(m + 1), right(m + 1), gain(m + 1), bin(m + 1) {}
};

// Gains of the boundaries 0 ... m - 1, given the sums to their left (`add` is added to each); -1 where a split is not
// allowed. The two terms are stored before they are added, so that a split and its mirror image have equal gains.
HOT static void boundary_gains(Candidates &K, int64_t m, double add_g, double add_h, double add_c, double G, double H,
                               double C, double node_loss, const Rules &R) {
    const double l2 = R.l2 + TINY, lower = R.lower, upper = R.upper, least = R.min_rows, order = R.monotonic;
    const double floor = R.least_gain;
    const double *__restrict gl = K.g.data(), *__restrict hl = K.h.data(), *__restrict cl = K.c.data();
    double *__restrict left = K.left.data(), *__restrict right = K.right.data(), *__restrict gain = K.gain.data();
    for (int64_t b = 0; b < m; ++b) {
        const double a = gl[b] + add_g, h = hl[b] + add_h, c = cl[b] + add_c, ar = G - a, hr = H - h;
        double vl = -a / (h + l2), vr = -ar / (hr + l2);
        vl = vl < lower ? lower : vl, vr = vr < lower ? lower : vr;
        vl = vl > upper ? upper : vl, vr = vr > upper ? upper : vr;
        const bool fits =
            (c >= least) & (C - c >= least) & (h >= MIN_CURVATURE) & (hr >= MIN_CURVATURE) & (order * (vl - vr) <= 0.0);
        left[b] = fits ? -a * vl : -INFINITY;
        right[b] = -ar * vr;
    }
    for (int64_t b = 0; b < m; ++b) {
        const double more = node_loss + (left[b] + right[b]);
        gain[b] = more > floor + ROUNDING_OFF * (std::fabs(left[b]) + std::fabs(right[b])) ? more : -1.0;
    }
}

struct Scratch {  // room of one thread
    Candidates candidates;
    std::vector<std::pair<double, int32_t>> order;  // of a nominal column's bins
    explicit Scratch(int64_t bins) : candidates(bins) { order.reserve(bins); }
};

// Boundaries after each bin that holds rows; how many there are. (Those after empty bins are the same splits.)
template <bool WIDE>
static inline int64_t boundaries(const int64_t *cells, int64_t bins, const Units &U, Candidates &K) {
    const int64_t mask = U.mask();
    Sums s;
    int64_t m = 0;
    for (int64_t b = 0; b < bins; ++b) {
        const int64_t first = cells[WIDE ? 2 * b : b], last = WIDE ? cells[2 * b + 1] : first, count = last & mask;
        s.g += WIDE ? first : first >> U.count_bits, s.h += WIDE ? last >> U.count_bits : count, s.count += count;
        K.g[m] = double(s.g) * U.g, K.h[m] = double(s.h) * U.h, K.c[m] = double(s.count), K.bin[m] = int32_t(b);
        m += count != 0;
    }
    return m;
}

// The best split of a numeric column; `cells` are its bins, the missing values' last.
static inline Split numeric_split(const int64_t *cells, int64_t bins, bool missing, const Sums &node, double value,
                                  const Units &U, const Rules &R, Scratch &S) {
    Candidates &K = S.candidates;
    const int64_t step = U.wide ? 2 : 1;
    const int64_t m = U.wide ? boundaries<true>(cells, bins, U, K) : boundaries<false>(cells, bins, U, K);
    const double G = double(node.g) * U.g, H = double(node.h) * U.h, C = double(node.count), loss = G * value;
    Split best;
    boundary_gains(K, m, 0, 0, 0, G, H, C, loss, R);
    for (int64_t k = 0; k < m; ++k)
        if (K.gain[k] > best.gain * TIE && K.gain[k] > 0.0) best.gain = K.gain[k], best.bin = K.bin[k];
    const Sums none = missing ? U.sums(cells + bins * step) : Sums{};
    if (none.count > 0) {
        boundary_gains(K, m, double(none.g) * U.g, double(none.h) * U.h, double(none.count), G, H, C, loss, R);
        for (int64_t k = m - 2; k >= 0; --k)
            if (K.gain[k] > best.gain * TIE && K.gain[k] > 0.0)
                best.gain = K.gain[k], best.bin = K.bin[k + 1] - 1, best.missing_left = true;
    }
    if (best.gain <= 0.0) return best;
    if (best.missing_left) best.left = none;
    for (int64_t b = 0; b <= best.bin; ++b) best.left += U.sums(cells + b * step);
    return best;
}

// Bins of a nominal column that hold enough rows, in order of G / (H + SUPPORT); bin `bins` are the missing values.
static inline void order_bins(const int64_t *cells, int64_t bins, bool missing, const Sums &node, const Units &U,
                              Scratch &S) {
    const int64_t step = U.wide ? 2 : 1;
    const double support = double(node.count) / std::max(double(node.h) * U.h, TINY);
    S.order.clear();
    for (int64_t b = 0; b < bins + missing; ++b) {
        const Sums s = U.sums(cells + b * step);
        const double h = double(s.h) * U.h;
        if (h * support >= SUPPORT) S.order.emplace_back(double(s.g) * U.g / (h + SUPPORT), int32_t(b));
    }
    std::sort(S.order.begin(), S.order.end());
}

static inline Split nominal_split(const int64_t *cells, int64_t bins, bool missing, const Sums &node, double value,
                                  const Units &U, const Rules &R, Scratch &S) {
    const int64_t step = U.wide ? 2 : 1;
    Candidates &K = S.candidates;
    Split best;
    best.nominal = true;
    order_bins(cells, bins, missing, node, U, S);
    const int64_t used = int64_t(S.order.size());
    if (used <= 1) return best;
    const double G = double(node.g) * U.g, H = double(node.h) * U.h, C = double(node.count);
    for (int direction = 1; direction >= -1; direction -= 2) {
        const int64_t m = direction > 0 ? (used + 1) / 2 : (used + 1) / 2 - 1;
        Sums s;
        for (int64_t i = 0; i < m; ++i) {
            s += U.sums(cells + S.order[direction > 0 ? i : used - 1 - i].second * step);
            K.g[i] = double(s.g) * U.g, K.h[i] = double(s.h) * U.h, K.c[i] = double(s.count);
        }
        boundary_gains(K, m, 0, 0, 0, G, H, C, G * value, R);
        for (int64_t i = 0; i < m; ++i)
            if (K.gain[i] > best.gain * TIE && K.gain[i] > 0.0)
                best.gain = K.gain[i], best.bin = int32_t((i + 1) * direction);
    }
    for (int64_t i = 0; i < std::abs(best.bin); ++i)
        best.left += U.sums(cells + S.order[best.bin > 0 ? i : used - 1 - i].second * step);
    return best;
}

}  // namespace assay::boosting
