// Hebbian learning: a unit's output is its product with the row, and its weights grow with what it responds to.
//
//     hebb   m <- m + rate b x, brought back to length one
//     oja    m_c <- m_c + rate b_c (x - sum_{l <= c} b_l m_l), b = m^T x (Oja 1982; for several units Sanger 1989)
//
// Twin in NumPy: tests/local/test_hebbian.py, by_the_book.
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

void learn(In2<double> X,          // in      (n, d) centred rows
           In1<double> weight,     // in      (n,), or (0,) for ones
           In1<int64_t> order,     // in      (m,)   rows to visit
           InOut2<double> M,       // in/out  (c, d) units
           double rate, bool decay) {
    const int64_t n = length(X), d = int64_t(X.shape(1)), c = length(M);
    require(weighs(weight, n) && within(order, 0, n), "hebb: a weight for each row, and rows that exist");
    require(int64_t(M.shape(1)) == d, "hebb: units of the rows' columns");
    nb::gil_scoped_release unlocked;
    std::vector<double> left(static_cast<size_t>(d));
    for (int64_t t = 0; t < length(order); ++t) {
        const int64_t i = order.data()[t];
        const double *x = X.data() + i * d, step = rate * (weight.size() ? weight.data()[i] : 1.0);
        for (int64_t j = 0; j < d; ++j) left[size_t(j)] = x[j];
        for (int64_t u = 0; u < c; ++u) {
            double *m = M.data() + u * d, b = 0.0;
            for (int64_t j = 0; j < d; ++j) b += m[j] * x[j];
            if (decay) {
                for (int64_t j = 0; j < d; ++j) {
                    left[size_t(j)] -= b * m[j];  // what this unit and those before do not say of the row
                    m[j] += step * b * left[size_t(j)];
                }
                continue;
            }
            double square = 0.0;
            for (int64_t j = 0; j < d; ++j) m[j] += step * b * x[j], square += m[j] * m[j];
            const double length_of_unit = std::sqrt(square);
            if (length_of_unit > 0)
                for (int64_t j = 0; j < d; ++j) m[j] /= length_of_unit;
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "learn", &learn, "X", "weight", "order", "M", "rate", "decay"); }
