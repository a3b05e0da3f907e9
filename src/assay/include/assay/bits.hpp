// Sets of rows as bits, 64 to a word: what they share, how many there are, what they weigh.
//
//     and_count(a, b, m)          |a & b|
//     and_keep(a, b, out, m)      out = a & b, returns |out|
//     count_bits(a, m)            |a|
//     and_weigh(a, b, w, m)       sum of w over a & b; weights are whole numbers, so the order does not matter
//     and_keep_weigh(...)         both
//
// Bits behind the last row must be zero in at least one of the two sets.
#pragma once
#include <cstdint>

#include "assay/array.hpp"

namespace assay {

inline int64_t words_of(int64_t rows) { return (rows + 63) >> 6; }
inline bool has_bit(const uint64_t *a, int64_t i) { return a[i >> 6] >> (i & 63) & 1; }
inline void set_bit(uint64_t *a, int64_t i) { a[i >> 6] |= uint64_t(1) << (i & 63); }

[[maybe_unused]] static HOT int64_t count_bits(const uint64_t *a, int64_t m) {
    int64_t n = 0;
    for (int64_t i = 0; i < m; ++i) n += __builtin_popcountll(a[i]);
    return n;
}

[[maybe_unused]] static HOT int64_t and_count(const uint64_t *a, const uint64_t *b, int64_t m) {
    int64_t n = 0;
    for (int64_t i = 0; i < m; ++i) n += __builtin_popcountll(a[i] & b[i]);
    return n;
}

[[maybe_unused]] static HOT int64_t and_keep(const uint64_t *a, const uint64_t *b, uint64_t *out, int64_t m) {
    int64_t n = 0;
    for (int64_t i = 0; i < m; ++i) {
        const uint64_t both = a[i] & b[i];
        out[i] = both;
        n += __builtin_popcountll(both);
    }
    return n;
}

inline int64_t weigh_word(uint64_t bits, const int64_t *w) {
    int64_t sum = 0;
    for (; bits; bits &= bits - 1) sum += w[__builtin_ctzll(bits)];
    return sum;
}

[[maybe_unused]] static HOT int64_t and_weigh(const uint64_t *a, const uint64_t *b, const int64_t *w, int64_t m) {
    int64_t sum = 0;
    for (int64_t i = 0; i < m; ++i) sum += weigh_word(a[i] & b[i], w + 64 * i);
    return sum;
}

[[maybe_unused]] static HOT int64_t and_keep_weigh(const uint64_t *a, const uint64_t *b, uint64_t *out,
                                                   const int64_t *w, int64_t m) {
    int64_t sum = 0;
    for (int64_t i = 0; i < m; ++i) {
        out[i] = a[i] & b[i];
        sum += weigh_word(out[i], w + 64 * i);
    }
    return sum;
}

}  // namespace assay
