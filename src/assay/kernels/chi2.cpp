// Chi-squared distances of rows of counts.
//
//     D(a, b) = sum_j (a_j - b_j)^2 / (a_j + b_j),    0 for columns that are 0 in both
//
// Rows of B lie column by column, so that the inner loop runs over rows of B.
// Twin in NumPy: tests/kernels/test_chi2.py, by_the_book.
#include <algorithm>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t PIECE = 256;  // rows of B at once: their sums stay in the cache
constexpr double TINY = 1e-300; // keeps 0 / 0 from being no number: 0 / TINY is 0

HOT void all_pairs(const View2<const double> &A, const View2<const double> &B, double *piece,
                   const View2<double> &out) {
    double sum[PIECE];
    const int64_t d = A.cols();
    for (int64_t at = 0; at < B.rows(); at += PIECE) {
        const int64_t m = std::min(PIECE, B.rows() - at);
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < d; ++j) piece[j * PIECE + i] = B.row(at + i)[j];
        for (int64_t q = 0; q < A.rows(); ++q) {
            const double *a = A.row(q), *b = piece;
            for (int64_t i = 0; i < PIECE; ++i) sum[i] = 0;
            for (int64_t j = 0; j < d; ++j, b += PIECE) {
                const double value = a[j];
                for (int64_t i = 0; i < PIECE; ++i) {  // sum += (a_j - b_j)^2 / (a_j + b_j)
                    const double difference = value - b[i], total = value + b[i];
                    sum[i] += difference * difference / (total > TINY ? total : TINY);
                }
            }
            std::copy(sum, sum + m, out.row(q) + at);
        }
    }
}

void distances(In2<double> A_,         // in   (n, d)  not negative
               In2<double> B_,         // in   (m, d)  not negative
               InOut2<double> out_) {  // out  (n, m)
    const auto A = view(A_), B = view(B_);
    const auto out = view(out_);
    require(A.cols() == B.cols(), "chi2: columns do not fit");
    require(out.rows() == A.rows() && out.cols() == B.rows(), "chi2: shapes do not fit");
    std::vector<double> piece(size_t(std::max<int64_t>(A.cols(), 1) * PIECE));
    const nb::gil_scoped_release unlocked;
    all_pairs(A, B, piece.data(), out);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Chi-squared distances.";
    define(m, "distances", &distances, "A", "B", "out");
}
