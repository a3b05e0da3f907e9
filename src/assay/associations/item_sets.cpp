// Item sets one after another: put in order, looked up, and marked where a larger one makes them superfluous.
//
// Twins: tests/associations/test_item_sets.py and
// test_condensed.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace assay;

namespace {

int bits_for(int64_t most) {
    int bits = 1;
    while (bits < 64 && (uint64_t(most) >> bits)) ++bits;
    return bits;
}

// A set as it is sorted: falling count, then as many items as fit, in 128 bits; few comparisons need more.
struct Entry {
    uint64_t high, low;
    int64_t set;
};

void check_sets(const In1<int64_t> &start, const In1<int32_t> &items, int64_t m) {
    require(shares_out(start, m, length(items)) && m < INT32_MAX, "sets do not share out their items");
}

// Order by size, then by falling count, then by items.
void in_order(In1<int64_t> start, In1<int32_t> items, In1<int64_t> counts, InOut1<int64_t> order) {
    check_sets(start, items, length(counts));
    require(within(items, 0, INT32_MAX) && within(counts, 0, INT64_MAX) && length(order) == length(counts),
            "sets do not fit");
    nb::gil_scoped_release unlocked;
    const int64_t m = int64_t(counts.shape(0)), *s = start.data(), *c = counts.data();
    const int32_t *item = items.data();
    int64_t longest = 0, most = 0, last = 0;
    for (int64_t i = 0; i < m; ++i) longest = std::max(longest, s[i + 1] - s[i]), most = std::max(most, c[i]);
    for (int64_t e = 0; e < int64_t(items.shape(0)); ++e) last = std::max<int64_t>(last, item[e]);
    const int wide = bits_for(last), in_high = (64 - bits_for(most)) / wide, in_low = 64 / wide;
    std::vector<int64_t> at(size_t(longest) + 2, 0);
    for (int64_t i = 0; i < m; ++i) ++at[size_t(s[i + 1] - s[i]) + 1];
    for (size_t k = 1; k < at.size(); ++k) at[k] += at[k - 1];
    std::vector<int64_t> next(at.begin(), at.end() - 1);
    std::vector<Entry> entries(static_cast<size_t>(m));
    for (int64_t i = 0; i < m; ++i) {
        const int64_t k = s[i + 1] - s[i];
        Entry one{uint64_t(most - c[i]), 0, i};
        for (int64_t e = 0; e < in_high; ++e) one.high = one.high << wide | uint64_t(e < k ? item[s[i] + e] : 0);
        for (int64_t e = in_high; e < in_high + in_low; ++e)
            one.low = one.low << wide | uint64_t(e < k ? item[s[i] + e] : 0);
        entries[size_t(next[size_t(k)]++)] = one;
    }
    for (int64_t k = 0; k <= longest; ++k)
        std::sort(entries.begin() + at[size_t(k)], entries.begin() + at[size_t(k) + 1],
                  [=](const Entry &a, const Entry &b) {
            if (a.high != b.high) return a.high < b.high;
            if (a.low != b.low) return a.low < b.low;
            const int64_t told = std::min<int64_t>(k, in_high + in_low);
            return std::lexicographical_compare(item + s[a.set] + told, item + s[a.set] + k, item + s[b.set] + told,
                                                item + s[b.set] + k);
        });
    for (int64_t i = 0; i < m; ++i) order.data()[i] = entries[size_t(i)].set;
}

// indices = the items of the sets in that order; indptr is where each begins.
void gather(In1<int64_t> start, In1<int32_t> items, In1<int64_t> order, In1<int64_t> indptr, InOut1<int32_t> indices) {
    check_sets(start, items, length(start) - 1);
    require(shares_out(indptr, length(order), length(indices)) && within(order, 0, length(start) - 1),
            "sets do not fit");
    for (int64_t i = 0; i < length(order); ++i) {
        const int64_t o = order.data()[i];
        require(indptr.data()[i + 1] - indptr.data()[i] == start.data()[o + 1] - start.data()[o],
                "sets of another size");
    }
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < int64_t(order.shape(0)); ++i) {
        const int64_t from = start.data()[order.data()[i]], k = indptr.data()[i + 1] - indptr.data()[i];
        std::copy_n(items.data() + from, k, indices.data() + indptr.data()[i]);
    }
}

uint64_t mixed(uint64_t h) {
    h ^= h >> 33, h *= 0xff51afd7ed558ccdULL, h ^= h >> 33;
    return h;
}
// The hash of a set is the sum of its items' hashes, so leaving one out is one subtraction.
uint64_t hash_item(int32_t item) { return mixed(uint64_t(uint32_t(item)) + 0x9E3779B97F4A7C15ULL) | 1; }

class Index {  // open addressing; sets are compared in full
    const int64_t *s_;
    const int32_t *item_;
    std::vector<int32_t> slot_;
    uint64_t mask_;

  public:
    Index(const int64_t *s, const int32_t *item, int64_t m) : s_(s), item_(item) {
        uint64_t size = 16;
        while (size < uint64_t(m) * 2) size *= 2;
        mask_ = size - 1;
        slot_.assign(size, -1);
        for (int64_t i = 0; i < m; ++i) {
            uint64_t h = 0;
            for (int64_t e = s[i]; e < s[i + 1]; ++e) h += hash_item(item[e]);
            for (h = mixed(h); slot_[h & mask_] >= 0; ++h) {}
            slot_[h & mask_] = int32_t(i);
        }
    }
    // The set with these k items but the one at `without` (k: none is left out); -1 if there is none.
    int64_t find(const int32_t *set, int64_t k, int64_t without, uint64_t hash) const {
        const int64_t length = without < k ? k - 1 : k;
        for (uint64_t h = mixed(hash); slot_[h & mask_] >= 0; ++h) {
            const int64_t i = slot_[h & mask_];
            if (s_[i + 1] - s_[i] != length) continue;
            const int32_t *other = item_ + s_[i];
            if (std::equal(other, other + std::min(without, length), set) &&
                std::equal(other + std::min(without, length), other + length,
                           set + std::min(without, length) + (without < k)))
                return i;
        }
        return -1;
    }
};

// place[q] = the number of the set that equals query q, or -1. Items ascend in sets and queries.
void lookup(In1<int64_t> start, In1<int32_t> items, In1<int64_t> query_start, In1<int32_t> query,
            InOut1<int64_t> place) {
    check_sets(start, items, length(start) - 1);
    check_sets(query_start, query, length(place));
    nb::gil_scoped_release unlocked;
    const Index index(start.data(), items.data(), int64_t(start.shape(0)) - 1);
    for (int64_t q = 0; q + 1 < int64_t(query_start.shape(0)); ++q) {
        const int64_t from = query_start.data()[q], k = query_start.data()[q + 1] - from;
        uint64_t h = 0;
        for (int64_t e = 0; e < k; ++e) h += hash_item(query.data()[from + e]);
        place.data()[q] = index.find(query.data() + from, k, k, h);
    }
}

// keep[i] = 0 where a set with one item more is there too (and, if `equal`, with the same count).
void superfluous(In1<int64_t> start, In1<int32_t> items, In1<int64_t> counts, bool equal, InOut1<uint8_t> keep) {
    check_sets(start, items, length(counts));
    require(length(keep) == length(counts), "sets do not fit");
    nb::gil_scoped_release unlocked;
    const int64_t m = int64_t(counts.shape(0)), *s = start.data();
    const Index index(s, items.data(), m);
    for (int64_t i = 0; i < m; ++i) {
        const int32_t *set = items.data() + s[i];
        const int64_t k = s[i + 1] - s[i];
        uint64_t h = 0;
        for (int64_t e = 0; e < k; ++e) h += hash_item(set[e]);
        for (int64_t e = 0; e < k && k > 1; ++e) {
            const int64_t sub = index.find(set, k, e, h - hash_item(set[e]));
            if (sub >= 0 && (!equal || counts.data()[sub] == counts.data()[i])) keep.data()[sub] = 0;
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "in_order", &in_order, "start", "items", "counts", "order");
    define(m, "gather", &gather, "start", "items", "order", "indptr", "indices");
    define(m, "lookup", &lookup, "start", "items", "query_start", "query", "place");
    define(m, "superfluous", &superfluous, "start", "items", "counts", "equal", "keep");
}
