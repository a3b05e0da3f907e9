// One branch of the search for item sets: the baskets of a first item, as bits for each other item found there.
//
// Items are ranked by their counts, rare ones first. Branch i holds the sets whose first item is i; it looks only at
// the baskets of i, renumbered 0, 1, 2, ..., so a rare item has short rows of bits. Items before i ("barred") are
// looked at only where closed sets are wanted: a set that could take one in belongs to another branch.
// Which items to look at is told by a table of pairs, by the bits of all baskets, or by going through the baskets of i,
// whatever is there and shortest; likewise the bits.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "assay/bits.hpp"
#include "assay/edge.hpp"

namespace assay {

struct Market {  // baskets from both sides, ranks ascending in both
    const int64_t *start;  // (n + 1,)
    const int32_t *rank;
    const int64_t *tid_start;  // (m + 1,)
    const int32_t *tid;
    const int64_t *weight;  // (n,) or null: each counts 1
    const int64_t *count;  // (m,) what the baskets of each item weigh
    const uint64_t *bits;  // (m, words) or null: baskets of each item as bits
    const int64_t *pairs;  // or null: what the baskets of pairs (a, b), a < b, weigh, row by row
    int64_t n, m, words;

    int64_t pair(int64_t a, int64_t b) const { return pairs[a * (2 * m - a - 1) / 2 + b - a - 1]; }
};

#if defined(__x86_64__)
// out = the bits of `a` where `mask` has some, close together.
__attribute__((target("bmi2"))) inline void squeeze(const uint64_t *a, const uint64_t *mask, int64_t words,
                                                    uint64_t *out) {
    uint64_t held = 0;
    int filled = 0;
    for (int64_t k = 0; k < words; ++k) {
        const int more = __builtin_popcountll(mask[k]);
        if (more == 0) continue;
        const uint64_t some = _pext_u64(a[k], mask[k]);
        held |= some << filled;
        filled += more;
        if (filled < 64) continue;
        *out++ = held;
        filled -= 64;
        held = filled ? some >> (more - filled) : 0;  // what did not fit; a shift of 64 is not defined
    }
    if (filled) *out = held;
}
#else
inline void squeeze(const uint64_t *, const uint64_t *, int64_t, uint64_t *) {}
#endif

class Branch {
    std::vector<int64_t> count_;
    std::vector<int32_t> place_, met_;
    std::vector<int64_t> weight_;
    std::vector<uint64_t> bits_;

    // The items that share enough baskets with i, and count_ of them; returns the work done.
    int64_t meet(const Market &db, int64_t i, int64_t least, bool both) {
        met_.clear();
        const int64_t first = both ? 0 : i + 1;
        if (db.pairs || (db.bits && !sparse(db))) {
            for (int64_t j = first; j < db.m; ++j) {
                if (j == i) continue;
                const uint64_t *a = db.bits + i * db.words, *b = db.bits + j * db.words;
                const int64_t c = db.pairs    ? (j < i ? db.pair(j, i) : db.pair(i, j))
                                  : db.weight ? and_weigh(a, b, db.weight, db.words)
                                              : and_count(a, b, db.words);
                if (c >= least) met_.push_back(int32_t(j)), count_[size_t(j)] = c;
            }
            return (db.m - first) * (db.pairs ? 1 : db.words);
        }
        int64_t work = 0;
        const int64_t from = db.tid_start[i], rows = db.tid_start[i + 1] - from;
        std::vector<int32_t> all;
        for (int64_t t = 0; t < rows; ++t) {  // count[j] = weight of baskets with i and j
            if (t + AHEAD < rows) __builtin_prefetch(db.rank + db.start[db.tid[from + t + AHEAD] + 1] - 1);
            const int64_t b = db.tid[from + t], w = db.weight ? db.weight[b] : 1;
            for (int64_t e = db.start[b + 1] - 1; e >= db.start[b]; --e) {
                const int32_t j = db.rank[e];
                if (j <= i && !both) break;
                if (count_[size_t(j)] == 0) all.push_back(j);
                count_[size_t(j)] += w, ++work;
            }
        }
        for (const int32_t j : all)
            if (count_[size_t(j)] >= least && j != i) met_.push_back(j);
            else count_[size_t(j)] = 0;
        return 4 * work;
    }

    // Rows of bits over the baskets of i; returns the work done.
    int64_t fill(const Market &db, int64_t i, bool both) {
        const int64_t from = db.tid_start[i], rows = db.tid_start[i + 1] - from, m = int64_t(item.size());
        words = words_of(rows);
        bits_.assign(size_t(m * words), 0);
        weight_.clear();
        if (db.weight) {
            weight_.assign(size_t(words) * 64, 0);
            for (int64_t t = 0; t < rows; ++t) weight_[size_t(t)] = db.weight[db.tid[from + t]];
        }
        if (db.bits && has_bmi2() && rows * 16 >= db.n) {
            for (int64_t a = 0; a < m; ++a)
                squeeze(db.bits + item[size_t(a)] * db.words, db.bits + i * db.words, db.words,
                        bits_.data() + a * words);
            return 3 * m * db.words;
        }
        if (db.bits) {
            for (int64_t a = 0; a < m; ++a) {
                const uint64_t *all = db.bits + item[size_t(a)] * db.words;
                uint64_t *out = bits_.data() + a * words;
                for (int64_t t = 0; t < rows; ++t) out[t >> 6] |= uint64_t(has_bit(all, db.tid[from + t])) << (t & 63);
            }
            return 2 * m * rows;
        }
        int64_t work = 0;
        for (int64_t a = 0; a < m; ++a) place_[size_t(item[size_t(a)])] = int32_t(a);
        for (int64_t t = 0; t < rows; ++t) {
            if (t + AHEAD < rows) __builtin_prefetch(db.rank + db.start[db.tid[from + t + AHEAD] + 1] - 1);
            const int64_t b = db.tid[from + t];
            for (int64_t e = db.start[b + 1] - 1; e >= db.start[b]; --e) {
                const int32_t j = db.rank[e];
                if (j <= i && !both) break;
                if (place_[size_t(j)] >= 0) set_bit(bits_.data() + place_[size_t(j)] * words, t);
                ++work;
            }
        }
        for (const int32_t j : item) place_[size_t(j)] = -1;
        return 4 * work;
    }

    static constexpr int64_t AHEAD = 12;  // baskets that are fetched before they are needed

    // Whether rows of baskets are shorter to go through than rows of bits.
    static bool sparse(const Market &db) {
        const double length = double(db.start[db.n]) / double(db.n ? db.n : 1);
        return 16 * length * length < double(db.m) * double(db.m);
    }

  public:
    int64_t words = 0, support = 0;
    int64_t barred = 0;  // the first so many items come before the branch's own
    std::vector<int32_t> item;  // alive: frequent with the branch's item, not in all of its baskets if `both`
    std::vector<int64_t> held;  // their counts there
    std::vector<int32_t> always;  // with `both`: items in all of the branch's baskets

    explicit Branch(int64_t m) : count_(size_t(m), 0), place_(size_t(m), -1) {}

    const uint64_t *bits(int64_t a) const { return bits_.data() + a * words; }
    int64_t shared(const uint64_t *t, int64_t a) const {
        return weight_.empty() ? and_count(t, bits(a), words) : and_weigh(t, bits(a), weight_.data(), words);
    }
    void cut(const uint64_t *t, int64_t a, uint64_t *out) const {
        for (int64_t k = 0; k < words; ++k) out[k] = t[k] & bits(a)[k];
    }

    // Returns the work done, in words or entries looked at.
    int64_t open(const Market &db, int64_t i, int64_t least, bool both) {
        support = db.count[i];
        int64_t work = 16 + meet(db, i, least, both);
        item.clear(), held.clear(), always.clear();
        for (const int32_t j : met_) (both && count_[size_t(j)] == support ? always : item).push_back(j);
        std::sort(item.begin(), item.end(), [&](int32_t a, int32_t b) {  // barred ones first, then rare ones
            const bool p = a > i, q = b > i;
            const int64_t x = count_[size_t(a)], y = count_[size_t(b)];
            return p != q ? p < q : x != y ? x < y : a < b;
        });
        std::sort(always.begin(), always.end());
        barred = 0;
        for (const int32_t j : item) held.push_back(count_[size_t(j)]), barred += j < i;
        for (const int32_t j : met_) count_[size_t(j)] = 0;
        if (barred < int64_t(item.size())) work += fill(db, i, both);
        return work;
    }
};

// Ranked baskets, looked through once when they are put together. In Python assay.associations._baskets.Baskets.
struct RankedBaskets {
    In1<int64_t> start;  // (n + 1,) where the items of each basket begin
    In1<int32_t> rank;  // the items of all baskets
    In1<int64_t> tid_start;  // (m + 1,) where the baskets of each item begin
    In1<int32_t> tid;  // the baskets of all items
    In1<int64_t> weight;  // of the baskets, or empty: ones
    In1<int64_t> count;  // (m,) of the items
    In2<uint64_t> bits;  // (m, words) the baskets of each item, or empty
    In1<int64_t> pairs;  // counts of all pairs of items, or empty

    void check() const;
    Market market() const {
        const int64_t n = length(start) - 1;
        return {start.data(), rank.data(),        tid_start.data(),    tid.data(), data_or_null(weight),
                count.data(), data_or_null(bits), data_or_null(pairs), n,          length(tid_start) - 1,
                words_of(n)};
    }
};

inline void RankedBaskets::check() const {
    require(start.shape(0) > 0 && tid_start.shape(0) > 0, "starts must not be empty");
    const size_t n = start.shape(0) - 1, m = tid_start.shape(0) - 1, words = size_t(words_of(int64_t(n)));
    require(shares_out(start, int64_t(n), length(rank), true) && within(rank, 0, int64_t(m)), "baskets do not fit");
    require(shares_out(tid_start, int64_t(m), length(tid), true) && within(tid, 0, int64_t(n)) && count.shape(0) == m,
            "items do not fit");
    require(bits.shape(0) == 0 || (bits.shape(0) == m && bits.shape(1) == words), "bits do not fit");
    for (int64_t j = 0; j < length(bits); ++j)
        require(count_bits(bits.data() + j * int64_t(words), int64_t(words)) ==
                    tid_start.data()[j + 1] - tid_start.data()[j],
                "bits are not those of the baskets");
    require(pairs.shape(0) == 0 || pairs.shape(0) == m * (m - 1) / 2, "pairs do not fit");
    require(weight.shape(0) == 0 || weight.shape(0) == (bits.shape(0) ? words * 64 : n), "weights do not fit");
}

}  // namespace assay
