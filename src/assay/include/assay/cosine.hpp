// cos(x) that compilers turn into vector code: the library's is called once for each number.
//
//     x = k pi + r, |r| <= pi / 2:   cos(x) = (-1)^k (1 - r^2/2! + r^4/4! - ... + r^20/20!)
//
// Within 3e-16 of the true value for |x| <= COSINE_LIMIT; beyond it k pi is no longer exact.
#pragma once
#include "assay/exponential.hpp"

namespace assay {

constexpr double COSINE_LIMIT = 1e6;

INLINE double cosine(double x) {
    const double shifted = x * 0.31830988618379067154 + ROUNDING, k = shifted - ROUNDING;
    // pi in three parts, the first two of 32 bits, so that their multiples are exact
    const double r = ((x - k * 0x1.921fb544p+1) - k * 0x1.0b4611a6p-33) - k * 0x1.3198a2e037073p-68, q = r * r;
    double s = 1.0 / 2432902008176640000.0;  // Horner, from 1/20! down
    s = s * q - 1.0 / 6402373705728000.0;
    s = s * q + 1.0 / 20922789888000.0;
    s = s * q - 1.0 / 87178291200.0;
    s = s * q + 1.0 / 479001600.0;
    s = s * q - 1.0 / 3628800.0;
    s = s * q + 1.0 / 40320.0;
    s = s * q - 1.0 / 720.0;
    s = s * q + 1.0 / 24.0;
    s = s * q - 0.5;
    s = s * q + 1.0;
    const int64_t turned = bits_of(s) ^ int64_t(uint64_t(bits_of(shifted)) << 63);  // odd k: the other sign
    double value;
    std::memcpy(&value, &turned, 8);
    return value;
}

}  // namespace assay
