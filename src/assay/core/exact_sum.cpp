// Adds numbers up exactly: see assay/exact_sum.hpp. Twin in Python: tests/core/test_exact_sum.py, by fractions.
#include "assay/exact_sum.hpp"

#include "assay/edge.hpp"

using namespace assay;

namespace {

// parts += x_i, or w_i x_i as a float, over all i
void add(In1<double> x,                    // in      (n,)
         std::optional<In1<double>> w,     // in      (n,)
         InOut1<int64_t> parts) {          // in/out  (4096,)
    require(length(parts) == EXACT_PARTS && (!w || length(*w) == length(x)), "add: a weight for each number, and room");
    nb::gil_scoped_release unlocked;
    const int64_t n = length(x);
    for (int64_t i = 0; i < n; ++i) add_exactly(w ? w->data()[i] * x.data()[i] : x.data()[i], parts.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "add", &add, "x", "w", "parts"); }
