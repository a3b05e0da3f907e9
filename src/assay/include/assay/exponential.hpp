// exp(x) and ln(1 + x) that compilers turn into vector code: the library's are called once for each number.
//
//     x = k ln 2 + r, |r| <= ln 2 / 2:   exp(x) = 2^k (1 + r + r^2/2! + ... + r^13/13!)
//
// Within 2 units in the last place of the true value from -708 to 709; beyond these it gives the value at the end.
#pragma once
#include <cstdint>
#include <cstring>

#include "assay/compiler.hpp"

namespace assay {

constexpr double ROUNDING = 0x1.8p52;  // adding it rounds to a whole number, which then stands in the low bits

inline int64_t bits_of(double x) {
    int64_t b;
    std::memcpy(&b, &x, 8);
    return b;
}

// The nearest whole number, |x| < 2^51.
INLINE int64_t nearest(double x) { return bits_of(x + ROUNDING) - bits_of(ROUNDING); }

INLINE double exponential(double x) {
    x = x < -708.0 ? -708.0 : x;
    x = x > 709.0 ? 709.0 : x;
    const double shifted = x * 1.4426950408889634074 + ROUNDING, k = shifted - ROUNDING;
    const double r = (x - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
    double s = 1.0 / 6227020800.0;  // Horner, from 1/13! down
    s = s * r + 1.0 / 479001600.0;
    s = s * r + 1.0 / 39916800.0;
    s = s * r + 1.0 / 3628800.0;
    s = s * r + 1.0 / 362880.0;
    s = s * r + 1.0 / 40320.0;
    s = s * r + 1.0 / 5040.0;
    s = s * r + 1.0 / 720.0;
    s = s * r + 1.0 / 120.0;
    s = s * r + 1.0 / 24.0;
    s = s * r + 1.0 / 6.0;
    s = s * r + 0.5;
    s = s * r + 1.0;
    s = s * r + 1.0;
    const uint64_t power = uint64_t(bits_of(shifted) - bits_of(ROUNDING) + 1023) << 52;  // of NaN: anything, times NaN
    double scale;
    std::memcpy(&scale, &power, 8);
    return s * scale;
}

// ln(1 + z) of z from 0 to 1, as vector code: 2 artanh s with s = (u - 1) / (u + 1) and u = 1 + z or half of it.
__attribute__((always_inline)) inline double log_one_plus(double z) {
    const bool half = z > 0.41421356237309503;
    const double s = half ? (z - 1.0) / (z + 3.0) : z / (z + 2.0), q = s * s;
    double t = 1.0 / 23.0;
    t = t * q + 1.0 / 21.0;
    t = t * q + 1.0 / 19.0;
    t = t * q + 1.0 / 17.0;
    t = t * q + 1.0 / 15.0;
    t = t * q + 1.0 / 13.0;
    t = t * q + 1.0 / 11.0;
    t = t * q + 1.0 / 9.0;
    t = t * q + 1.0 / 7.0;
    t = t * q + 1.0 / 5.0;
    t = t * q + 1.0 / 3.0;
    t = t * q + 1.0;
    return 2.0 * s * t + (half ? 0.69314718055994529 : 0.0);
}

}  // namespace assay
