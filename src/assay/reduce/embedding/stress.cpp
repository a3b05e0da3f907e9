// Steps of stress majorisation, and the gradient of stress with weights, over all pairs of points.
//
//     stress = sum_{i<j} w_ij (d_ij - delta_ij)^2,     d_ij = |z_i - z_j|                                     (1)
//
//     T_i    = sum_j w_ij (delta_ij / d_ij) (z_i - z_j)      (0 where points coincide)                        (2)
//     S_i    = sum_j w_ij (z_i - z_j)                                                                         (3)
//
// With w = 1 the Guttman transform is z_i <- T_i / n, and for any weights the gradient of (1) is 2 (S - T). Sammon's
// weights are delta^-power. delta is the upper triangle, row by row; points are given by their coordinates, (k, n).
// Twin in NumPy: tests/reduce/embedding/test_mds.py, majorize_by_the_book.
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

// Where the distances of row i to the rows after it begin in the upper triangle.
INLINE int64_t row_start(int64_t i, int64_t n) { return i * (2 * n - i - 1) / 2; }

INLINE double sum(const double *a, int64_t n) {
    double parts[4] = {0, 0, 0, 0};
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (int64_t t = 0; t < 4; ++t) parts[t] += a[j + t];
    for (; j < n; ++j) parts[0] += a[j];
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

}  // namespace

HOT void pull(In1<double> delta,             // in   (n (n - 1) / 2,) wanted distances
              In2<double> Z,                 // in   (k, n) coordinates
              double power,                  //      weights delta^-power; 0 weighs all pairs alike
              int64_t first, int64_t last,   //      rows i of the pairs i < j
              InOut2<double> T,              // in/out (k, n) += (2) of these pairs
              InOut2<double> S,              // in/out (k, n) += (3) of these pairs; (0, 0) if not wanted
              InOut1<double> sums) {         // in/out (3,) += (1), sum of d^2, sum of w d^2
    const int64_t k = int64_t(Z.shape(0)), n = int64_t(Z.shape(1));
    require(n < (int64_t(1) << 30) && length(delta) == n * (n - 1) / 2, "pull: a distance for each pair of points");
    require(int64_t(T.shape(0)) == k && int64_t(T.shape(1)) == n, "pull: T must be as large as Z");
    const bool slopes = S.size() > 0;
    require(!slopes || (int64_t(S.shape(0)) == k && int64_t(S.shape(1)) == n), "pull: S must be as large as Z");
    require(0 <= first && first <= last && last <= n && length(sums) == 3, "pull: rows out of range");
    const nb::gil_scoped_release unlocked;
    std::vector<double> apart(n), weight(n), ratio(n), gap(n), square(n);
    for (int64_t i = first; i < last; ++i) {
        const int64_t m = n - i - 1;
        const double *wanted = delta.data() + row_start(i, n);
        for (int64_t j = 0; j < m; ++j) square[j] = 0;
        for (int64_t c = 0; c < k; ++c) {
            const double *z = Z.data() + c * n + i + 1, at = z[-1];
            for (int64_t j = 0; j < m; ++j) square[j] += (at - z[j]) * (at - z[j]);
        }
        for (int64_t j = 0; j < m; ++j) apart[j] = std::sqrt(square[j]);
        if (power == 0)
            for (int64_t j = 0; j < m; ++j) weight[j] = 1;
        else
            for (int64_t j = 0; j < m; ++j)  // a pair at distance 0 has no weight: its term would be infinite
                weight[j] = wanted[j] > 0 ? (power == 1   ? 1 / wanted[j]
                                             : power == 2 ? 1 / (wanted[j] * wanted[j])
                                                          : std::pow(wanted[j], -power))
                                          : 0;
        for (int64_t j = 0; j < m; ++j) ratio[j] = apart[j] > 0 ? weight[j] * wanted[j] / apart[j] : 0;
        for (int64_t j = 0; j < m; ++j) gap[j] = weight[j] * (apart[j] - wanted[j]) * (apart[j] - wanted[j]);
        sums.data()[0] += sum(gap.data(), m);
        sums.data()[1] += sum(square.data(), m);
        for (int64_t j = 0; j < m; ++j) square[j] *= weight[j];
        sums.data()[2] += sum(square.data(), m);
        for (int64_t c = 0; c < k; ++c) {
            const double *z = Z.data() + c * n + i + 1, at = z[-1];
            double *t = T.data() + c * n + i + 1;
            for (int64_t j = 0; j < m; ++j) gap[j] = ratio[j] * (at - z[j]);
            for (int64_t j = 0; j < m; ++j) t[j] -= gap[j];
            t[-1] += sum(gap.data(), m);
            if (!slopes) continue;
            double *s = S.data() + c * n + i + 1;
            for (int64_t j = 0; j < m; ++j) gap[j] = weight[j] * (at - z[j]);
            for (int64_t j = 0; j < m; ++j) s[j] -= gap[j];
            s[-1] += sum(gap.data(), m);
        }
    }
}

NB_MODULE(_stress, m) { define(m, "pull", &pull, "delta", "Z", "power", "first", "last", "T", "S", "sums"); }
