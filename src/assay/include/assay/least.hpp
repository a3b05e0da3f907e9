// The least of some numbers, in lanes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "assay/compiler.hpp"

namespace assay {

// Infinity where there are none.
HOT static double least_of(const double *values, int64_t n) {
    constexpr int64_t LANES = 8;
    double least[LANES];
    std::fill_n(least, LANES, std::numeric_limits<double>::infinity());
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int64_t r = 0; r < LANES; ++r) least[r] = values[i + r] < least[r] ? values[i + r] : least[r];
    for (; i < n; ++i) least[0] = values[i] < least[0] ? values[i] : least[0];
    return *std::min_element(least, least + LANES);
}

}  // namespace assay
