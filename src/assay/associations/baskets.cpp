// Baskets seen from both sides: the frequent items of each basket, and the baskets of each frequent item.
//
// rank[code] is an item's new number, or -1 if it is left out. Twin: tests/associations/test_ranked.py.
#include "assay/bits.hpp"

#include <vector>

using namespace assay;

namespace {

// Baskets of each item, ascending; start[r] is where item r begins (counted by the caller).
void by_item(In1<int64_t> indptr,    // in   (n + 1,)
             In1<int32_t> indices,   // in   codes, checked by the caller
             In1<int32_t> rank,      // in   (d,)
             In1<int64_t> start,     // in   (m + 1,)
             InOut1<int32_t> tids) { // out  (start[m],)
    nb::gil_scoped_release unlocked;
    std::vector<int64_t> at(start.data(), start.data() + start.shape(0));
    const int64_t n = int64_t(indptr.shape(0)) - 1, *p = indptr.data();
    const int32_t *code = indices.data(), *r = rank.data();
    for (int64_t i = 0; i < n; ++i)
        for (int64_t e = p[i]; e < p[i + 1]; ++e) {
            const int32_t j = r[code[e]];
            if (j >= 0) tids.data()[at[size_t(j)]++] = int32_t(i);
        }
}

// Items of each basket, ascending by rank: the transpose of the above, which arrives sorted.
void by_basket(In1<int64_t> tid_start,   // in   (m + 1,)
               In1<int32_t> tids,        // in   baskets of each item
               In1<int64_t> start,       // in   (n + 1,)
               InOut1<int32_t> ranks) {  // out  (start[n],)
    nb::gil_scoped_release unlocked;
    std::vector<int64_t> at(start.data(), start.data() + start.shape(0));
    const int64_t m = int64_t(tid_start.shape(0)) - 1, *p = tid_start.data();
    for (int64_t j = 0; j < m; ++j)
        for (int64_t e = p[j]; e < p[j + 1]; ++e) ranks.data()[at[size_t(tids.data()[e])]++] = int32_t(j);
}

// Baskets of each item as bits.
void as_bits(In1<int64_t> tid_start,      // in   (m + 1,)
             In1<int32_t> tids,           // in
             InOut2<uint64_t> bits) {     // out  (m, words), zeros before
    nb::gil_scoped_release unlocked;
    const int64_t words = int64_t(bits.shape(1));
    for (int64_t j = 0; j + 1 < int64_t(tid_start.shape(0)); ++j)
        for (int64_t e = tid_start.data()[j]; e < tid_start.data()[j + 1]; ++e)
            set_bit(bits.data() + j * words, tids.data()[e]);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.def("by_item", &by_item);
    m.def("by_basket", &by_basket);
    m.def("as_bits", &as_bits);
}
