// Sums of numbers that are the same in any order: mantissas are added up as whole numbers, by exponent.
//
//     x = +- (2^26 high + low) 2^(e - 1075):    parts[2e] += +- high,    parts[2e + 1] += +- low
//
// Two sums are added part by part. There is room for 2^36 numbers. Numbers that are not finite stand at e = 2047.
#pragma once
#include <cstdint>
#include <cstring>

namespace assay {

constexpr int64_t EXACT_PARTS = 4096;

inline void add_exactly(double x, int64_t *parts) {
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    const uint64_t e = bits >> 52 & 2047;
    const int64_t m = int64_t((bits & 0xfffffffffffffu) | uint64_t(e != 0) << 52), sign = -int64_t(bits >> 63);
    parts[2 * e] += ((m >> 26) ^ sign) - sign, parts[2 * e + 1] += ((m & 0x3ffffff) ^ sign) - sign;
}

}  // namespace assay
