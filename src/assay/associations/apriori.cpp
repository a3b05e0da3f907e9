// Apriori: candidates of one size from the frequent sets of one item less, counted in blocks of baskets.
//
// Sets of one size are the rows of a table, ascending within a row and from row to row.
// Twins: tests/associations/test_apriori.py.
#include "assay/bits.hpp"
#include "assay/edge.hpp"

#include <algorithm>

using namespace assay;

namespace {

// Whether numbers ascend, from 0 on, and stay below m.
bool ascending(const int32_t *a, const int32_t *end, int64_t m) {
    if (a == end) return true;
    bool fits = a[0] >= 0 && end[-1] < m;
    for (; a + 1 < end; ++a) fits &= a[0] < a[1];
    return fits;
}

// Baskets with new numbers of items, those without one (-1) gone. Returns how many entries are left.
int64_t keep(In1<int64_t> indptr,       // in   (n + 1,)
             In1<int32_t> indices,      // in   codes, checked by the caller
             In1<int32_t> number,       // in   (d,)
             InOut1<int64_t> start,     // out  (n + 1,)
             InOut1<int32_t> items) {   // out  (indptr[n] + 1,)
    require(are_rows(indices, indices, indptr, length(indptr) - 1, length(number)), "keep: items without a new number");
    require(length(start) == length(indptr) && length(items) > indptr.data()[length(indptr) - 1] - indptr.data()[0],
            "keep: a place for each basket and entry");
    nb::gil_scoped_release unlocked;
    const int64_t n = int64_t(indptr.shape(0)) - 1;
    const int32_t *code = indices.data(), *to = number.data();
    int32_t *out = items.data();
    int64_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
        start.data()[i] = at;
        for (int64_t e = indptr.data()[i]; e < indptr.data()[i + 1]; ++e) {
            const int32_t j = to[code[e]];
            out[at] = j;  // written over if it does not stay
            at += j >= 0;
        }
    }
    start.data()[n] = at;
    return at;
}

// counts[pair (a, b)] += weight of the baskets with both, for all pairs with first <= a < last and a < b < m, one after
// the other: row a begins at sum of (m - 1 - x) over first <= x < a.
void count_pairs(In1<int64_t> start,      // in      (n + 1,)
                 In1<int32_t> items,      // in      ascending in each basket, below m
                 In1<int64_t> weight,     // in      (n,) or empty
                 int64_t m, int64_t first, int64_t last,
                 InOut1<int64_t> counts) {  // in/out
    require(shares_out(start, length(start) - 1, length(items)) && weighs(weight, length(start) - 1),
            "count_pairs: baskets do not fit");
    require(0 <= first && first <= last && last <= m && m <= INT32_MAX &&
                length(counts) >= (last - first) * (2 * m - 1 - first - last) / 2,
            "count_pairs: a count for each pair");
    for (int64_t i = 0; i + 1 < length(start); ++i)
        require(ascending(items.data() + start.data()[i], items.data() + start.data()[i + 1], m),
                "count_pairs: items do not ascend");
    nb::gil_scoped_release unlocked;
    std::vector<int64_t> row(size_t(std::max<int64_t>(last - first, 0)));
    for (int64_t a = first, at = 0; a < last; at += m - 1 - a, ++a) row[size_t(a - first)] = at - a - 1;
    for (int64_t i = 0; i + 1 < int64_t(start.shape(0)); ++i) {
        const int64_t w = weight.shape(0) ? weight.data()[i] : 1, end = start.data()[i + 1];
        for (int64_t p = start.data()[i]; p < end; ++p) {
            const int64_t a = items.data()[p];
            if (a < first) continue;
            if (a >= last) break;
            int64_t *c = counts.data() + row[size_t(a - first)];
            for (int64_t q = p + 1; q < end; ++q) c[items.data()[q]] += w;
        }
    }
}

// counts[c] += weight of the baskets that hold all items of row c. Baskets are turned to bits, item by item; what a
// row shares with the row before is not worked out again.
void count_sets(In1<int64_t> start, In1<int32_t> items, In1<int64_t> weight, int64_t m, In2<int32_t> sets,
                InOut1<int64_t> counts) {
    require(are_rows(items, items, start, length(start) - 1, m) && weighs(weight, length(start) - 1),
            "count_sets: baskets do not fit");
    require(sets.shape(1) >= 2 && within(sets, 0, m) && length(counts) == length(sets),
            "count_sets: sets of two items or more, a count for each");
    sized(m, words_of(length(start)), "count_sets: too many items");
    nb::gil_scoped_release unlocked;
    const int64_t n = int64_t(start.shape(0)) - 1, words = words_of(n);
    const int64_t rows = int64_t(sets.shape(0)), k = int64_t(sets.shape(1));
    std::vector<uint64_t> bits(size_t(m * words), 0), shared(size_t(k * words));
    for (int64_t i = 0; i < n; ++i)
        for (int64_t p = start.data()[i]; p < start.data()[i + 1]; ++p)
            set_bit(bits.data() + items.data()[p] * words, i);
    std::vector<int64_t> w;
    if (weight.shape(0)) w.assign(size_t(words) * 64, 0), std::copy_n(weight.data(), n, w.data());
    for (int64_t c = 0; c < rows; ++c) {
        const int32_t *set = sets.data() + c * k, *before = set - k;
        int64_t same = 0;
        while (c > 0 && same < k - 1 && set[same] == before[same]) ++same;
        for (int64_t l = same; l + 1 < k; ++l) {            // shared[l] = baskets with set[0..l]
            const uint64_t *one = bits.data() + set[l] * words, *all = shared.data() + (l - 1) * words;
            uint64_t *out = shared.data() + l * words;
            if (l == 0) std::copy_n(one, words, out);
            else
                for (int64_t v = 0; v < words; ++v) out[v] = one[v] & all[v];
        }
        const uint64_t *last = bits.data() + set[k - 1] * words, *all = shared.data() + (k - 2) * words;
        counts.data()[c] += w.empty() ? and_count(all, last, words) : and_weigh(all, last, w.data(), words);
    }
}

bool is_row(const int32_t *sets, int64_t rows, int64_t k, const int32_t *wanted) {
    int64_t low = 0, high = rows;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (std::lexicographical_compare(sets + middle * k, sets + middle * k + k, wanted, wanted + k))
            low = middle + 1;
        else high = middle;
    }
    return low < rows && std::equal(wanted, wanted + k, sets + low * k);
}

// Join rows that differ in their last item only; keep those whose other subsets are rows too. Goes from row `first` on
// until there are more than `room` candidates, or four times as many were joined. Returns (row to go on with, number
// joined, candidates).
nb::tuple join(In2<int32_t> sets, int64_t first, int64_t room) {
    const int64_t rows = int64_t(sets.shape(0)), k = int64_t(sets.shape(1));
    require(k >= 1 && first >= 0 && 0 <= room && room <= int64_t(1) << 40,
            "join: sets of one item or more, and room for some");
    std::vector<int32_t> kept, one(size_t(k) + 1), sub(static_cast<size_t>(k));
    int64_t joined = 0;
    {
        nb::gil_scoped_release unlocked;
        for (; first < rows && int64_t(kept.size()) <= room * (k + 1) && joined <= 4 * room; ++first) {
            const int32_t *a = sets.data() + first * k;
            for (int64_t other = first + 1; other < rows; ++other) {
                const int32_t *b = sets.data() + other * k;
                if (!std::equal(a, a + k - 1, b)) break;
                ++joined;
                std::copy_n(a, k, one.data());
                one[size_t(k)] = b[k - 1];
                bool frequent = true;
                for (int64_t without = 0; without + 1 < k && frequent; ++without) {  // the last two subsets are a and b
                    std::copy_n(one.data(), without, sub.data());
                    std::copy(one.begin() + without + 1, one.end(), sub.begin() + without);
                    frequent = is_row(sets.data(), rows, k, sub.data());
                }
                if (frequent) kept.insert(kept.end(), one.begin(), one.end());
            }
        }
    }
    return nb::make_tuple(first, joined, give(std::move(kept)));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "keep", &keep, "indptr", "indices", "number", "start", "items");
    define(m, "count_pairs", &count_pairs, "start", "items", "weight", "m", "first", "last", "counts");
    define(m, "count_sets", &count_sets, "start", "items", "weight", "m", "sets", "counts");
    define(m, "join", &join, "sets", "first", "room");
}
