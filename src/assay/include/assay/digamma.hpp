// The digamma function in a form that compilers turn into vector code.
//
//     psi(x) = ln(x + 8) - s(x),     s(x) = sum_{i<8} 1/(x + i) + 1/(2y) + 1/(12 y^2) - 1/(120 y^4) + ...,  y = x + 8
//
// so that exp psi(x) = (x + 8) exp(-s(x)) takes no logarithm. The eight reciprocals are taken in pairs of equal sum.
// For x > 0; the series ends below 2e-15.
#pragma once
#include "assay/exponential.hpp"

namespace assay {

constexpr double SHIFT = 8.0;  // y = x + SHIFT

INLINE double digamma_tail(double x) {
    const double t = x * (x + 7), r = 1.0 / (x + SHIFT), q = r * r;
    const double below = (2 * x + 7) * ((1.0 / t + 1.0 / (t + 6)) + (1.0 / (t + 10) + 1.0 / (t + 12)));
    double series = 1.0 / 12.0;  // Horner, from y^-14 down
    series = series * q - 691.0 / 32760.0;
    series = series * q + 1.0 / 132.0;
    series = series * q - 1.0 / 240.0;
    series = series * q + 1.0 / 252.0;
    series = series * q - 1.0 / 120.0;
    series = series * q + 1.0 / 12.0;
    return below + (0.5 * r + series * q);
}

INLINE double exp_digamma(double x) {
    const double s = digamma_tail(x), power = (x + SHIFT) * exponential(-s);
    return s < 708.0 ? power : 0.0;
}

}  // namespace assay
