// Silhouettes: the mean distance of each row from the rows of every group, never a matrix.
//
//     sums_ik = sum over rows j of group k of w_j |x_i - x_j|
//
// Checked here: sizes, and group numbers below K. Twin in NumPy: tests/cluster/test_quality.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t STRIP = 512;  // rows whose distances are computed together

// Rows sorted by group stand column by column in T (d, n); begin (K + 1,) is where each group begins.
HOT void sum_rows(const double *T, int64_t n, int64_t d, const int64_t *begin, int64_t K, const double *X, int64_t rows,
                  double *sums) {
    double gaps[STRIP];
    for (int64_t i = 0; i < rows; ++i) {
        const double *x = X + i * d;
        for (int64_t k = 0; k < K; ++k) {
            double total = 0.0;
            for (int64_t start = begin[k]; start < begin[k + 1]; start += STRIP) {
                const int64_t m = std::min(STRIP, begin[k + 1] - start);
                for (int64_t r = 0; r < m; ++r) gaps[r] = 0.0;
                for (int64_t j = 0; j < d; ++j) {
                    const double *t = T + j * n + start, v = x[j];
                    for (int64_t r = 0; r < m; ++r) {
                        const double gap = t[r] - v;
                        gaps[r] += gap * gap;
                    }
                }
                double part[8] = {};
                int64_t r = 0;
                for (; r + 8 <= m; r += 8)
                    for (int64_t c = 0; c < 8; ++c) part[c] += std::sqrt(gaps[r + c]);
                for (; r < m; ++r) part[0] += std::sqrt(gaps[r]);
                for (int64_t c = 0; c < 8; ++c) total += part[c];
            }
            sums[i * K + k] = total;
        }
    }
}

void group_sums(In2<double> T,  // in   (d, n) rows sorted by group, column by column
                In1<int64_t> begin,  // in   (K + 1,)
                In2<double> X,  // in   (m, d) the rows that are asked
                InOut2<double> sums) {  // out  (m, K)
    const int64_t d = T.shape(0), n = T.shape(1), K = length(begin) - 1, m = X.shape(0);
    require(d > 0 && int64_t(X.shape(1)) == d && K > 0 && shares_out(begin, K, n, true) && length(sums) == m &&
                int64_t(sums.shape(1)) == K,
            "group_sums: groups and sums must fit the rows");
    nb::gil_scoped_release unlocked;
    sum_rows(T.data(), n, d, begin.data(), K, X.data(), m, sums.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "group_sums", &group_sums, "T", "begin", "X", "sums"); }
