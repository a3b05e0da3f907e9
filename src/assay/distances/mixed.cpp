// Distances of mixed rows: numbers, categories that are equal or not, categories with a table of differences.
//
//     delta_j = |a_j - b_j|  or  [a_j != b_j]  or  T_j[a_j, b_j];    1 (gaps) or left out if one is missing
//     square:  D = sqrt(sum_j delta_j^2), scaled up to d columns from those that counted, inf if none did
//     otherwise:  D = sum_j delta_j / (columns that counted), 1 if none did
//
// The tables are checked by the caller when they are learned or loaded; a code outside its table counts as missing.
// Twin in NumPy: tests/distances/test_mixed.py, by_the_book.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t PIECE = 256;  // rows of B at once: their sums stay in the cache

struct Columns {
    const uint8_t *kind;
    const int64_t *start;
    const double *worth;
    const int32_t *width;
    int64_t d;
};

// The sums of one row a with m rows whose column j is b[j * PIECE .. + m]: one column after the other, so that the
// inner loops run over rows.
template <bool square, bool gaps>
INLINE void add_columns(const double *a, const double *b, int64_t m, const Columns &columns, double *sum,
                        double *there) {
    for (int64_t i = 0; i < m; ++i) sum[i] = there[i] = 0;
    for (int64_t j = 0; j < columns.d; ++j, b += PIECE) {
        const double value = a[j];
        const auto count = [&](int64_t i, bool known, double delta) __attribute__((always_inline)) {
            sum[i] += known ? (square ? delta * delta : delta) : (gaps ? 1.0 : 0.0);
            if (!gaps) there[i] += known ? 1.0 : 0.0;
        };
        if (columns.kind[j] == 0) {
            for (int64_t i = 0; i < m; ++i) {
                const double difference = value - b[i];
                count(i, difference == difference, std::fabs(difference));
            }
        } else if (columns.kind[j] == 1) {
            for (int64_t i = 0; i < m; ++i) {
                const double difference = value - b[i];
                count(i, difference == difference, difference != 0 ? 1.0 : 0.0);
            }
        } else {
            const double c = columns.width[j];
            const bool inside = value >= 0 && value < c;
            const double *table = columns.worth + columns.start[j] + (inside ? int64_t(value) * columns.width[j] : 0);
            for (int64_t i = 0; i < m; ++i) {
                const bool known = inside && b[i] >= 0 && b[i] < c;
                count(i, known, known ? table[int64_t(b[i])] : 0.0);
            }
        }
    }
}

template <bool square, bool gaps>
INLINE void all_pairs(const View2<const double> &A, const View2<const double> &B, const Columns &columns, double *piece,
                      const View2<double> &out) {
    double sum[PIECE], there[PIECE];
    const double d = double(columns.d);
    for (int64_t at = 0; at < B.rows(); at += PIECE) {
        const int64_t m = std::min(PIECE, B.rows() - at);
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < columns.d; ++j) piece[j * PIECE + i] = B.row(at + i)[j];
        for (int64_t q = 0; q < A.rows(); ++q) {
            add_columns<square, gaps>(A.row(q), piece, m, columns, sum, there);
            double *result = out.row(q) + at;
            for (int64_t i = 0; i < m; ++i) {
                const double counted = gaps ? d : there[i];
                if (square && counted == d) result[i] = std::sqrt(sum[i]);
                else if (square) result[i] = counted > 0 ? std::sqrt(sum[i] * (d / counted)) : HUGE_VAL;
                else result[i] = counted > 0 ? sum[i] / counted : 1.0;
            }
        }
    }
}

HOT void pairs_by_kind(const View2<const double> &A, const View2<const double> &B, const Columns &columns, bool square,
                       bool gaps, double *piece, const View2<double> &out) {
    if (square && gaps) all_pairs<true, true>(A, B, columns, piece, out);
    else if (square) all_pairs<true, false>(A, B, columns, piece, out);
    else if (gaps) all_pairs<false, true>(A, B, columns, piece, out);
    else all_pairs<false, false>(A, B, columns, piece, out);
}

void distances(In2<double> A_,         // in   (n, d)     numbers in units of their scale, codes, NaN for missing
               In2<double> B_,         // in   (m, d)
               In1<uint8_t> kind_,     // in   (d,)       0 number, 1 equal or not, 2 table
               In1<int64_t> start_,    // in   (d + 1,)   where each column's table begins
               In1<double> worth_,     // in   the tables
               bool square, bool gaps,
               InOut2<double> out_) {  // out  (n, m)
    const auto A = view(A_), B = view(B_);
    const auto kind = view(kind_);
    const auto start = view(start_);
    const auto worth = view(worth_);
    const auto out = view(out_);
    const int64_t d = A.cols();
    require(B.cols() == d && kind.size() == d && start.size() == d + 1, "mixed distances: columns do not fit");
    require(out.rows() == A.rows() && out.cols() == B.rows(), "mixed distances: shapes do not fit");
    std::vector<int32_t> width(size_t(d), 0);
    for (int64_t j = 0; j < d; ++j) {
        const int64_t cells = start[j + 1] - start[j];
        require(start[j] >= 0 && cells >= 0 && start[j + 1] <= worth.size(), "mixed distances: a table lies outside");
        width[size_t(j)] = int32_t(std::sqrt(double(cells)));
        require(int64_t(width[size_t(j)]) * width[size_t(j)] == cells, "mixed distances: a table is not square");
    }
    std::vector<double> piece(size_t(std::max<int64_t>(d, 1) * PIECE));
    const nb::gil_scoped_release unlocked;
    const Columns columns{kind.data(), start.data(), worth.data(), width.data(), d};
    pairs_by_kind(A, B, columns, square, gaps, piece.data(), out);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Distances of mixed rows.";
    define(m, "distances", &distances, "A", "B", "kind", "start", "worth", "square", "gaps", "out");
}
