// The units in which gradients and curvatures become whole numbers.
#pragma once
#include "assay/boosting/losses.hpp"
#include "assay/boosting/split.hpp"

namespace assay::boosting {

constexpr int64_t ENOUGH_UNITS = 4096;  // that the gradients of narrow cells have on average, or cells must be wide

// The finest units, powers of two, in which no sum of n rows overflows, and all sums are exact as floats.
inline Units units_for(int64_t n, bool wide, const Extent &most) {
    int bits = 1;
    while ((int64_t(1) << bits) <= n) ++bits;
    auto unit = [](double largest, int room) {
        int exponent = 0;
        std::frexp(largest, &exponent);
        return std::ldexp(1.0, std::max((largest > 0.0 ? exponent : 0) - std::min(room, 50),
                                        -1000));  // 1 / unit is finite
    };
    if (!wide) return {false, bits, unit(most.g, 62 - 2 * bits), 1.0};
    return {true, bits, unit(most.g, 53 - bits), unit(most.h, std::min(53 - bits, 62 - 2 * bits))};
}

// Largest gradient and curvature that are known beforehand; those of other losses depend on the rows.
inline bool has_known_extent(int kind) { return kind != SQUARED && kind != POISSON && kind != GAMMA; }
inline Extent known_extent(int kind, double heaviest) {
    return {heaviest, heaviest * (kind == BINOMIAL || kind == ONE_OF_MANY ? 0.25 : 1.0)};
}

// Whether gains are finite.
inline bool is_moderate(const Extent &most, double heaviest, int64_t n) {
    return std::isfinite(most.g / heaviest * most.g * double(n)) && std::isfinite(most.h);
}

// The cells of rows a to b, as units say; steps of wide ones. Rows that are `held` out count nothing.
inline void make_cells(int kind, const Rows &R, const uint8_t *held, int64_t a, int64_t b, const Units &units,
                       int64_t *cells, Step *steps) {
    if (units.wide) wide_cells(kind, R, a, b, 1 / units.g, 1 / units.h, units.count_bits, cells, steps);
    else narrow_cells(kind, R, a, b, 1 / units.g, units.count_bits, cells);
    if (!held) return;
    for (int64_t i = a; i < b; ++i) {
        if (!held[i]) continue;
        if (units.wide) cells[2 * i] = cells[2 * i + 1] = 0, steps[i] = {0, 0};
        else cells[i] = 0;
    }
}

}  // namespace assay::boosting
