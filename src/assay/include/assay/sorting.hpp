// An order of numbers that may be NaN; sorting of 64-bit keys by their upper half: (number << 32 | label).
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "assay/array.hpp"

namespace assay {

// Ascending, NaN last, equal ones by their rows. For sorting: where NaN may come, `<` alone is no order, and
// std::sort and std::nth_element then leave their array.
inline bool ascends(double a, double b) { return a < b || (b != b && a == a); }
inline bool ascends(double a, double b, int64_t row_of_a, int64_t row_of_b) {
    return ascends(a, b) || (!ascends(b, a) && row_of_a < row_of_b);
}

constexpr int64_t BUCKETS = (1 << 14) + 2;  // room that sort_keys needs in its counter

inline uint32_t upper(uint64_t key) { return uint32_t(key >> 32); }
inline uint32_t lower(uint64_t key) { return uint32_t(key); }

// The most of the upper halves, and of the lower ones, of n keys.
struct Halves {
    uint32_t upper, lower;
};
[[maybe_unused]] HOT static Halves most_of_halves(const uint64_t *keys, int64_t n) {
    uint32_t high = 0, low = 0;
    for (int64_t i = 0; i < n; ++i) high = std::max(high, upper(keys[i])), low = std::max(low, lower(keys[i]));
    return {high, low};
}

inline int width_in_bits(uint64_t v) {
    int bits = 0;
    while (v) v >>= 1, ++bits;
    return bits;
}

inline void insertion_sort(uint64_t *a, int64_t m) {
    for (int64_t i = 1; i < m; ++i) {
        const uint64_t key = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1] > key; --j) a[j] = a[j - 1];
        a[j] = key;
    }
}

// Sorts a[0..m) whose upper halves lie in low..high; the result is in a or in other, whichever is returned.
inline uint64_t *sort_keys(uint64_t *a, uint64_t *other, int64_t m, uint32_t low, uint32_t high, int32_t *counter) {
    if (m <= 24) {
        insertion_sort(a, m);
        return a;
    }
    const int bits = width_in_bits(high - low);
    if (m <= 8192) {  // about one key a bucket, then insertion puts neighbours right
        const int shift = std::max(0, bits - width_in_bits(uint64_t(m)));
        const int64_t buckets = int64_t((high - low) >> shift) + 2;
        std::fill(counter, counter + buckets, 0);
        for (int64_t i = 0; i < m; ++i) ++counter[((upper(a[i]) - low) >> shift) + 1];
        int32_t fullest = 0;
        for (int64_t b = 1; b < buckets; ++b) {
            fullest = std::max(fullest, counter[b]);
            counter[b] += counter[b - 1];
        }
        if (shift == 0 || fullest < 64) {
            for (int64_t i = 0; i < m; ++i) other[counter[(upper(a[i]) - low) >> shift]++] = a[i];
            if (shift > 0) insertion_sort(other, m);
            return other;
        }
    }
    for (int done = 0; done < bits; done += 11) {  // eleven bits a pass, lowest first
        std::fill(counter, counter + 2049, 0);
        for (int64_t i = 0; i < m; ++i) ++counter[(((upper(a[i]) - low) >> done) & 2047) + 1];
        for (int b = 1; b < 2049; ++b) counter[b] += counter[b - 1];
        for (int64_t i = 0; i < m; ++i) other[counter[((upper(a[i]) - low) >> done) & 2047]++] = a[i];
        std::swap(a, other);
    }
    return a;
}

}  // namespace assay
