// What growing a tree is about: the data, the rules, a split, a node; and the loops over a node's rows.
#pragma once
#include "assay/array.hpp"
#include "assay/criteria.hpp"
#include "assay/sorting.hpp"

#include <cstring>

namespace assay {

constexpr int32_t NOTHING = -2;
constexpr uint8_t LEAF = 0, THRESHOLD = 1, SUBSET = 2;
constexpr double TIE = 1e-12;        // gains closer than this share of the node's impurity are equal
constexpr int EXHAUSTIVE = 8;        // categories whose groupings are all tried, with three or more classes
constexpr size_t STAND_INS = 5;      // surrogates kept a node
constexpr int64_t NEARBY = 1 << 17;  // entries of a small node that are brought together

struct Data {
    int64_t n, d;
    uint64_t *order;             // (d, n) or null
    const int32_t *ranks;        // (d, n) or null
    const double *values;        // distinct numbers, column after column; or null: X and order say them
    const int64_t *start;        // (d + 1,) where a column's numbers begin
    const int32_t *categories;   // (d,) 0: numbers
    const uint8_t *has_missing;  // (d,) whether the column has missing values
    const double *X;             // (n, d) the numbers themselves, or null
};

struct Rules {
    bool random, surrogate, spread, packed, use_up;
    int64_t max_depth, min_split, min_leaf, max_features, max_leaves, max_candidates;
    double min_weight, min_node, min_decrease;  // weight of a side, of a node that is split
    const int8_t *monotonic;     // (d,) or null
    uint64_t seed;
};

struct Split {
    double gain = NO_GAIN, threshold = NOTHING;
    int32_t feature = NOTHING;
    uint8_t kind = LEAF;
    bool missing_left = false;
    uint32_t cut = 0;            // THRESHOLD: ranks up to here go left
    double middle = 0;           // between the values of the two sides, for monotonic constraints
    std::vector<uint32_t> set;   // SUBSET: codes that go left

    void take(double better, int64_t column, uint8_t what, bool missing, double between) {
        gain = better, feature = int32_t(column), kind = what, missing_left = missing, middle = between;
    }
};

struct StandIn {
    double agreement;
    int32_t feature;
    uint8_t kind, flip;
    double threshold;
    uint32_t cut;
    std::vector<uint32_t> set;
};

struct Node {
    int32_t feature = NOTHING, left = -1, right = -1, missing = -1;
    uint8_t kind = LEAF;
    int32_t more = -1;           // its number among those that have something more to say
    double threshold = NOTHING, impurity = 0, weight = 0;
    int64_t rows = 0;
};

struct More {  // what few nodes have: kept apart, so that a node is a few plain numbers
    std::vector<uint32_t> set;
    std::vector<StandIn> stand_ins;
};

struct Open {  // a node that may still be split
    int32_t node;
    int64_t start, end, depth;
    double low, high;            // bounds of its values, from monotonic constraints above
};

struct Promise {  // best first: an open node and the split it would get
    Open open;
    Split split;
    bool operator<(const Promise &other) const {
        return split.gain != other.split.gain ? split.gain < other.split.gain : open.node > other.open.node;
    }
};

struct Random {  // xorshift64*
    uint64_t state;
    explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15ULL + 0x632BE59BD9B4E019ULL) {
        state ^= state >> 31, state = state ? state : 1;
        for (int i = 0; i < 4; ++i) next();
    }
    uint64_t next() {
        state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
        return state * 2685821657736338717ULL;
    }
    int64_t below(int64_t n) { return int64_t(high_product(next(), uint64_t(n))); }
    double unit() { return double(next() >> 11) * 0x1p-53; }
};

inline bool in_set(const std::vector<uint32_t> &set, uint32_t code) { return set[code >> 5] >> (code & 31) & 1; }
inline void put(std::vector<uint32_t> &set, uint32_t code) { set[code >> 5] |= uint32_t(1) << (code & 31); }

inline double halfway(double a, double b) {
    const double middle = a / 2 + b / 2;
    return middle < b ? middle : a;  // neighbours in the last bit
}

// Stable partition of keys by the side of their rows; only the halves that will be used are put in place.
inline void part(uint64_t *keys, int64_t m, int64_t left, const uint8_t *side, uint64_t *scratch, bool want_left,
                 bool want_right) {
    if (want_left && want_right) {
        uint64_t *a = keys, *b = scratch;
        for (int64_t i = 0; i < m; ++i) {
            const uint64_t key = keys[i];
            const uint8_t s = side[lower(key)];
            *a = key, *b = key;
            a += s, b += 1 - s;
        }
        std::memcpy(keys + left, scratch, size_t(m - left) * 8);
    } else if (want_left) {
        uint64_t *a = keys;
        for (int64_t i = 0; i < m; ++i) {
            const uint64_t key = keys[i];
            *a = key;
            a += side[lower(key)];
        }
    } else if (want_right) {
        uint64_t *b = keys + m - 1;
        for (int64_t i = m - 1; i >= 0; --i) {
            const uint64_t key = keys[i];
            *b = key;
            b -= 1 - side[lower(key)];
        }
    }
}

// Ranks, or numbers, of a node's rows, and the range of those that are not missing.
static HOT void fetch_ranks(const int32_t *rank, const uint32_t *row, int64_t m, int32_t missing, int32_t *out,
                            int32_t *range) {
    int32_t low = missing, high = -1;
    for (int64_t i = 0; i < m; ++i) {
        const int32_t r = rank[row[i]];
        out[i] = r;
        low = std::min(low, r), high = std::max(high, r < missing ? r : -1);
    }
    range[0] = low, range[1] = high;
}
static HOT void fetch_numbers(const double *x, const uint32_t *row, int64_t m, double *out, double *range) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int64_t i = 0; i < m; ++i) {
        const double v = x[row[i]];
        out[i] = v;
        low = v < low ? v : low, high = v > high ? v : high;  // false for NaN
    }
    range[0] = low, range[1] = high;
}

// Rows with code up to last: how many, their weight, and the weight of class 1; labels are weight << 8 | class.
// Without branches, and in 32 bits as long as 128 weights below 2^24 cannot overflow them.
template <class Code>
INLINE void sum_codes(const Code *code, const uint32_t *label, int64_t m, Code last, int64_t *sums) {
    int64_t rows = 0, weight = 0, ones = 0;
    for (int64_t start = 0; start < m; start += 128) {
        const int64_t end = std::min(start + 128, m);
        uint32_t r = 0, w = 0, o = 0;
        for (int64_t i = start; i < end; ++i) {
            const uint32_t left = uint32_t(code[i] <= last), kept = (label[i] >> 8) & (0u - left);
            r += left;
            w += kept;
            o += kept & (0u - (label[i] & 1));
        }
        rows += r, weight += w, ones += o;
    }
    sums[0] = rows, sums[1] = weight, sums[2] = ones;
}
[[maybe_unused]] static HOT void sum_up_to(const int32_t *code, const uint32_t *label, int64_t m, int32_t last,
                                           int64_t *sums) {
    sum_codes(code, label, m, last, sums);
}
[[maybe_unused]] static HOT void sum_up_to(const double *code, const uint32_t *label, int64_t m, double last,
                                           int64_t *sums) {
    sum_codes(code, label, m, last, sums);
}

}  // namespace assay
