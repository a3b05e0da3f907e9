// The columns of a table in bins, as boosting of trees on histograms sees them: what the bins stand for, and where the
// codes of each column stand.
#pragma once
#include "assay/edge.hpp"

namespace assay {

// d columns, of which d8 have codes of 8 bits and d16 of 16. In Python assay.ensembles._hist_bins.Binned.
struct Binned {
    In1<int32_t> bins;            // (d,)      without the missing one
    In1<int32_t> place;           // (d,)      column of 8 bits, or ~column of 16
    In1<uint8_t> nominal;         // (d,)
    In2<double> thresholds;       // (d, 256)  upper ends of the bins of numeric columns, then infinity
    In1<int32_t> bin_of;          //           bins of the categories of all nominal columns
    In1<int64_t> category_start;  // (d + 1,)  where the categories of each column begin
    In1<int64_t> wide_start;      // (d16 + 1,) where columns of 16 bits begin in a histogram
    int64_t width;                // columns of 8 bits side by side in a panel
};

}  // namespace assay
