// What rows of observations say of states: log densities, and the sums by which states are estimated anew.
//
// The loops are in assay/chains/emissions.hpp. Twin in NumPy: tests/sequences/test_emissions.py.
#include "assay/chains/emissions.hpp"
#include "assay/edge.hpp"

using namespace assay;
using namespace assay::chains;

namespace {

int64_t triangle(int64_t d) { return sized(d, d + 1, "too many columns") / 2; }

void gaussian(In2<double> X,  // in      (n, d)
              In2<double> means,  // in      (d, P)
              In2<double> factors,  // in      (d, P), or (d (d + 1) / 2, P)
              bool full,
              In1<double> constants,  // in      (P,)
              InOut2<double> L) {  // out     (n, P)
    const int64_t n = X.shape(0), d = X.shape(1), P = length(constants);
    require(length(means) == d && int64_t(means.shape(1)) == P && length(factors) == (full ? triangle(d) : d) &&
                int64_t(factors.shape(1)) == P && int64_t(L.shape(0)) == n && int64_t(L.shape(1)) == P && P % 4 == 0,
            "gaussian: means, factors and densities must fit, their columns a multiple of 4");
    nb::gil_scoped_release unlocked;
    log_densities(view(X), means.data(), factors.data(), full, constants.data(), P, L.data());
}

void gaussian_sums(In2<double> X,  // in      (n, d)
                   In2<double> gamma,  // in      (n, P)
                   In2<double> means,  // in      (d, P)
                   bool full,
                   InOut2<double> counts,  // in/out  (d, P) of the rows where each column is there
                   InOut2<double> first,  // in/out  (d, P)
                   InOut2<double> second) {  // in/out  (d, P), or (d (d + 1) / 2, P)
    const int64_t n = X.shape(0), d = X.shape(1), P = gamma.shape(1);
    require(length(gamma) == n && length(means) == d && int64_t(means.shape(1)) == P && length(counts) == d &&
                int64_t(counts.shape(1)) == P && length(first) == d && int64_t(first.shape(1)) == P &&
                length(second) == (full ? triangle(d) : d) && int64_t(second.shape(1)) == P && P % 4 == 0,
            "gaussian_sums: means and sums must fit, their columns a multiple of 4");
    nb::gil_scoped_release unlocked;
    add_moments(view(X), gamma.data(), means.data(), full, P, counts.data(), first.data(), second.data());
}

void symbol_sums(In1<int64_t> codes,  // in      (n,)   from 0 to M - 1
                 In2<double> gamma,  // in      (n, P)
                 InOut2<double> counts) {  // in/out  (M, P)
    const int64_t n = length(codes);
    require(length(gamma) == n && gamma.shape(1) == counts.shape(1) && within(codes, 0, length(counts)),
            "symbol_sums: codes must be rows of counts, which has the columns of gamma");
    nb::gil_scoped_release unlocked;
    add_rows(codes.data(), n, gamma.data(), gamma.shape(1), counts.data());
}

void symbol_densities(In1<int64_t> codes,  // in      (n,)
                      In2<double> table,  // in      (M, P)
                      InOut2<double> F) {  // out     (n, P)
    const int64_t n = length(codes);
    require(length(F) == n && F.shape(1) == table.shape(1) && within(codes, 0, length(table)),
            "symbol_densities: codes must be rows of the table, which has the columns of the densities");
    nb::gil_scoped_release unlocked;
    take_rows(codes.data(), n, table.data(), table.shape(1), F.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "gaussian", &gaussian, "X", "means", "factors", "full", "constants", "L");
    define(m, "gaussian_sums", &gaussian_sums, "X", "gamma", "means", "full", "counts", "first", "second");
    define(m, "symbol_sums", &symbol_sums, "codes", "gamma", "counts");
    define(m, "symbol_densities", &symbol_densities, "codes", "table", "F");
}
