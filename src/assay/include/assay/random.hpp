// Random numbers of native code: xoshiro256++ (Blackman and Vigna 2019), begun by splitmix64.
//
// A generator is made from a seed and the number of a stream, or goes on from four words that the caller keeps, so that
// draws of many calls are one sequence.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay {

class Random {
    uint64_t s[4];
    static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  public:
    Random(uint64_t seed, uint64_t stream) {
        uint64_t state = seed + 0xD1342543DE82EF95ULL * (stream + 1);
        for (uint64_t &word : s) {
            uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
            word = z ^ (z >> 31);
        }
    }
    explicit Random(const uint64_t *kept) {  // four words of which not all may be 0
        for (int i = 0; i < 4; ++i) s[i] = kept[i];
        if (!(s[0] | s[1] | s[2] | s[3])) s[0] = 1;
    }
    void keep(uint64_t *place) const {
        for (int i = 0; i < 4; ++i) place[i] = s[i];
    }
    uint64_t next() {
        const uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
        s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
        s[3] = rotate(s[3], 45);
        return result;
    }
    double uniform() { return double(next() >> 11) * 0x1p-53; }  // in [0, 1)
    double positive() { return (double(next() >> 11) + 1.0) * 0x1p-53; }  // in (0, 1]
    float single() { return float(uint32_t(next() >> 40)) * 0x1p-24f; }  // in [0, 1)
};

// One of n > 0, by cumulated chances: the first that exceeds a share u of all, and never one without a chance.
inline int64_t drawn(const double *cumulated, int64_t n, double u) {
    u *= cumulated[n - 1];
    int64_t i = std::upper_bound(cumulated, cumulated + n, u) - cumulated;
    if (i >= n) i = n - 1;
    while (i > 0 && cumulated[i] == cumulated[i - 1]) --i;
    return i;
}

}  // namespace assay
