// How far trees grow, and what must hold of the columns that they are grown on.
#pragma once
#include "assay/boosting/binned.hpp"
#include "assay/boosting/search.hpp"

namespace assay::boosting {

// In Python assay.ensembles._hist_boosting.Growth.
struct Growth {
    int64_t leaves, depth, least;  // at most so many leaves and tests in a row (0: any number), and rows of a leaf
    double l2, share;              // penalty of the leaves, and the share of the columns that a node looks at
    int64_t memory;                // bytes for histograms
};

// Everything that splits index by; d8 of the columns have codes of 8 bits.
inline void check_growing(const Binned &binned, const In1<uint8_t> &missing, const In1<int8_t> &monotonic,
                          const std::vector<std::vector<int32_t>> &groups, const Growth &growth, int64_t d8) {
    const auto &[bins, place, nominal, thresholds, bin_of, category_start, wide_start, width] = binned;
    const int64_t d = length(bins), d16 = length(wide_start) - 1;
    require(growth.leaves >= 0 && growth.depth >= 0 && growth.least >= 0 && growth.l2 >= 0.0 && growth.share > 0.0 &&
                growth.memory >= 0,
            "growing: limits");
    require(length(place) == d && length(missing) == d && length(nominal) == d && length(monotonic) == d &&
                length(thresholds) == d && int64_t(thresholds.shape(1)) == BINS,
            "growing: one entry for each column");
    require(d16 >= 0 && d8 >= 0 && wide_start.data()[0] == (d8 + 7) / 8 * 8 * BINS, "growing: cells");
    for (int64_t j = 0; j < d16; ++j) {
        const int64_t cells = wide_start.data()[j + 1] - wide_start.data()[j];
        require(cells > 0 && cells <= 65536, "growing: cells");
    }
    require(shares_out(category_start, d, length(bin_of)), "growing: categories");
    for (int64_t j = 0; j < d; ++j) {
        const int64_t p = place.data()[j], b = bins.data()[j];
        require(p >= 0 ? p < d8 && b < BINS : ~p < d16 && nominal.data()[j], "growing: the place of a column");
        require(b >= 0 && (p >= 0 || b < wide_start.data()[~p + 1] - wide_start.data()[~p]), "growing: bins");
        const int64_t first = category_start.data()[j];
        require(within(bin_of.data() + first, category_start.data()[j + 1] - first, 0, b + 1), "growing: categories");
    }
    for (const std::vector<int32_t> &group : groups)
        require(within(group.data(), int64_t(group.size()), 0, d), "growing: a group of columns that are not there");
}

}  // namespace assay::boosting
