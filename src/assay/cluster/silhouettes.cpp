// Silhouettes: the mean distance of each row from the rows of every group, never a matrix.
//
//     sums_ik = sum over rows j of group k of |x_i - x_j|
//
// Each pair is looked at once, by the row that comes first: it adds to the sum of the first row and to that of the
// second. Checked here: sizes, and that the rows are those of their group. Twin in NumPy: tests/cluster/test_groups.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t STRIP = 512;  // rows whose distances are computed together
constexpr int64_t LANES = 8;  // sums side by side, which the compiler adds up in vectors
constexpr int64_t COLUMNS = 4;  // of the table in one go over a strip

HOT void square_gaps(const double *T, int64_t n, int64_t d, const double *x, int64_t m, double *gaps) {
    for (int64_t r = 0; r < m; ++r) gaps[r] = 0.0;
    int64_t j = 0;
    for (; j + COLUMNS <= d; j += COLUMNS) {
        const double *t = T + j * n, *u = t + n, *v = u + n, *w = v + n;
        const double a = x[j], b = x[j + 1], c = x[j + 2], e = x[j + 3];
        for (int64_t r = 0; r < m; ++r) {
            const double f = t[r] - a, g = u[r] - b, h = v[r] - c, l = w[r] - e;
            gaps[r] += (f * f + g * g) + (h * h + l * l);
        }
    }
    for (; j < d; ++j) {
        const double *t = T + j * n, a = x[j];
        for (int64_t r = 0; r < m; ++r) {
            const double f = t[r] - a;
            gaps[r] += f * f;
        }
    }
}

// The sum of the roots of `gaps`, each of which is added to `later`.
HOT double add_roots(const double *gaps, int64_t m, double *later) {
    double lanes[LANES] = {}, sum = 0.0;
    int64_t r = 0;
    for (; r + LANES <= m; r += LANES)
        for (int64_t c = 0; c < LANES; ++c) {
            const double apart = std::sqrt(gaps[r + c]);
            lanes[c] += apart;
            later[r + c] += apart;
        }
    for (; r < m; ++r) {
        const double apart = std::sqrt(gaps[r]);
        sum += apart;
        later[r] += apart;
    }
    for (int64_t c = 0; c < LANES; ++c) sum += lanes[c];
    return sum;
}

void pair_sums(In2<double> T,  // in      (d, n) rows sorted by group, column by column
               In1<int64_t> begin,  // in      (K + 1,) where each group begins
               int64_t first,  // the first of some rows of one group
               InOut2<double> sums,  // in/out  (m, K) of these rows: distances from later rows, group by group
               InOut1<double> later) {  // in/out  (n,) of all rows: distances from these rows where they come earlier
    const int64_t d = T.shape(0), n = T.shape(1), K = length(begin) - 1, m = length(sums);
    require(d > 0 && K > 0 && shares_out(begin, K, n, true) && int64_t(sums.shape(1)) == K && length(later) == n,
            "pair_sums: groups and sums must fit the rows");
    require(first >= 0 && m > 0 && first <= n - m, "pair_sums: rows within the table");
    const int64_t own = std::upper_bound(begin.data(), begin.data() + K + 1, first) - begin.data() - 1;
    require(first + m <= begin.data()[own + 1], "pair_sums: rows of one group");
    nb::gil_scoped_release unlocked;
    std::vector<double> x(d), gaps(STRIP);
    for (int64_t i = first; i < first + m; ++i) {
        for (int64_t j = 0; j < d; ++j) x[j] = T.data()[j * n + i];
        for (int64_t k = own; k < K; ++k) {
            const int64_t end = begin.data()[k + 1];
            double total = 0.0;
            for (int64_t start = std::max(begin.data()[k], i + 1); start < end; start += STRIP) {
                const int64_t count = std::min(STRIP, end - start);
                square_gaps(T.data() + start, n, d, x.data(), count, gaps.data());
                total += add_roots(gaps.data(), count, later.data() + start);
            }
            sums.data()[(i - first) * K + k] += total;
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "pair_sums", &pair_sums, "T", "begin", "first", "sums", "later"); }
