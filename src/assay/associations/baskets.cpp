// Baskets seen from both sides: the frequent items of each basket, and the baskets of each frequent item.
//
// rank[code] is an item's new number, or m if it is left out. Twin: tests/associations/test_ranked.py.
#include <algorithm>
#include <vector>

#include "assay/branch.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

// counts[c] += how often code c is there.
void count_items(In1<int32_t> indices,        // in      codes, checked by the caller
                 InOut1<int64_t> counts) {    // in/out  (d,)
    require(within(indices, 0, length(counts)), "count_items: a code beyond the counts");
    nb::gil_scoped_release unlocked;
    const int32_t *code = indices.data();
    int64_t *c = counts.data();
    for (int64_t e = 0; e < int64_t(indices.shape(0)); ++e) ++c[code[e]];
}

// Baskets of each item, ascending; start[r] is where item r begins. Items that are left out are written to one place
// behind the last, again and again, which is quicker than asking. No place lies beyond that one, whatever start says.
void by_item(In1<int64_t> indptr,     // in   (n + 1,)
             In1<int32_t> indices,    // in   codes, checked by the caller
             In1<int32_t> rank,       // in   (d,) up to m
             In1<int64_t> start,      // in   (m + 1,)
             InOut1<int32_t> tids,    // out  (start[m] + 1,)
             InOut1<int64_t> sizes) { // out  (n,) items of each basket that are not left out
    const int64_t behind = length(tids) - 1;
    require(are_rows(indices, indices, indptr, length(indptr) - 1, length(rank)) && length(sizes) == length(indptr) - 1,
            "by_item: baskets do not fit");
    require(shares_out(start, length(start) - 1, behind) && within(rank, 0, length(start)),
            "by_item: ranks do not fit");
    nb::gil_scoped_release unlocked;
    std::vector<int64_t> at(start.data(), start.data() + start.shape(0));
    const int64_t n = int64_t(indptr.shape(0)) - 1, m = int64_t(start.shape(0)) - 1, *p = indptr.data();
    const int32_t *code = indices.data(), *r = rank.data();
    int32_t *out = tids.data();
    for (int64_t i = 0; i < n; ++i) {
        int64_t kept = 0;
        for (int64_t e = p[i]; e < p[i + 1]; ++e) {
            const int32_t j = r[code[e]];
            const int64_t place = at[size_t(j)], in = j < m;
            out[std::min(place, behind)] = int32_t(i);
            at[size_t(j)] = place + in, kept += in;
        }
        sizes.data()[i] = kept;
    }
    for (int64_t j = 0; j < m; ++j) require(at[size_t(j)] == start.data()[j + 1], "by_item: other numbers of baskets");
}

// Items of each basket, ascending by rank: the transpose of the above, which arrives sorted.
void by_basket(In1<int64_t> tid_start,   // in   (m + 1,)
               In1<int32_t> tids,        // in   baskets of each item
               In1<int64_t> start,       // in   (n + 1,)
               InOut1<int32_t> ranks) {  // out  (start[n],)
    const int64_t n = length(start) - 1, last = length(ranks) - 1;
    require(are_rows(tids, tids, tid_start, length(tid_start) - 1, n) && shares_out(start, n, length(ranks)),
            "by_basket: baskets do not fit");
    require(last >= 0 || length(tids) == 0, "by_basket: a place for each item");
    nb::gil_scoped_release unlocked;
    std::vector<int64_t> at(start.data(), start.data() + start.shape(0));
    const int64_t m = int64_t(tid_start.shape(0)) - 1, *p = tid_start.data();
    for (int64_t j = 0; j < m; ++j)
        for (int64_t e = p[j]; e < p[j + 1]; ++e) {
            int64_t &place = at[size_t(tids.data()[e])];
            ranks.data()[std::min(place, last)] = int32_t(j);
            ++place;
        }
    for (int64_t i = 0; i < n; ++i) require(at[size_t(i)] == start.data()[i + 1], "by_basket: other numbers of items");
}

// Baskets of each item as bits.
void as_bits(In1<int64_t> tid_start,      // in   (m + 1,)
             In1<int32_t> tids,           // in
             InOut2<uint64_t> bits) {     // out  (m, words), zeros before
    require(are_rows(tids, tids, tid_start, length(bits), int64_t(bits.shape(1)) * 64),
            "as_bits: a bit for each basket");
    nb::gil_scoped_release unlocked;
    const int64_t words = int64_t(bits.shape(1));
    for (int64_t j = 0; j + 1 < int64_t(tid_start.shape(0)); ++j)
        for (int64_t e = tid_start.data()[j]; e < tid_start.data()[j + 1]; ++e)
            set_bit(bits.data() + j * words, tids.data()[e]);
}

// Which baskets hold the same: of the baskets 0, step, 2 step, ... the first of each kind, and each one's kind.
nb::tuple alike(In1<int64_t> start,    // in   (n + 1,)
                In1<int32_t> ranks,    // in   ascending in each basket
                int64_t step) {
    require(shares_out(start, length(start) - 1, length(ranks)) && step > 0, "alike: baskets do not fit, or no step");
    step = std::min(step, length(start));
    std::vector<int64_t> first, which;
    {
        nb::gil_scoped_release unlocked;
        const int64_t n = int64_t(start.shape(0)) - 1, *s = start.data();
        const int32_t *item = ranks.data();
        uint64_t mask = 1023;
        std::vector<int64_t> slot(mask + 1, -1);            // open addressing, at most half full
        std::vector<uint64_t> hash;                          // of each kind
        for (int64_t i = 0; i < n; i += step) {
            uint64_t h = 0;
            for (int64_t e = s[i]; e < s[i + 1]; ++e)
                h = (h ^ uint64_t(int64_t(item[e]) + 1)) * 0x9E3779B97F4A7C15ULL, h ^= h >> 29;
            uint64_t at = h;
            int64_t kind = -1;
            for (; (kind = slot[at & mask]) >= 0; ++at)
                if (hash[size_t(kind)] == h && s[first[size_t(kind)] + 1] - s[first[size_t(kind)]] == s[i + 1] - s[i] &&
                    std::equal(item + s[i], item + s[i + 1], item + s[first[size_t(kind)]]))
                    break;
            if (kind < 0) {
                kind = int64_t(first.size());
                slot[at & mask] = kind, first.push_back(i), hash.push_back(h);
                if (2 * first.size() > mask) {
                    mask = 4 * mask + 3;
                    slot.assign(mask + 1, -1);
                    for (size_t k = 0; k < hash.size(); ++k) {
                        for (at = hash[k]; slot[at & mask] >= 0; ++at) {}
                        slot[at & mask] = int64_t(k);
                    }
                }
            }
            which.push_back(kind);
        }
    }
    return nb::make_tuple(give(std::move(first)), give(std::move(which)));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<RankedBaskets>(m, "Baskets", field("start", &RankedBaskets::start), field("rank", &RankedBaskets::rank),
                          field("tid_start", &RankedBaskets::tid_start), field("tid", &RankedBaskets::tid),
                          field("weight", &RankedBaskets::weight), field("count", &RankedBaskets::count),
                          field("bits", &RankedBaskets::bits), field("pairs", &RankedBaskets::pairs));
    define(m, "count_items", &count_items, "indices", "counts");
    define(m, "by_item", &by_item, "indptr", "indices", "rank", "start", "tids", "sizes");
    define(m, "by_basket", &by_basket, "tid_start", "tids", "start", "ranks");
    define(m, "as_bits", &as_bits, "tid_start", "tids", "bits");
    define(m, "alike", &alike, "start", "ranks", "step");
}
