// Distances of mixed rows: numbers, categories that are equal or not, categories with a table of differences.
//
//     delta_j = |a_j - b_j|  or  [a_j != b_j]  or  T_j[a_j, b_j];    1 (gaps) or left out if one is missing
//     square:  D = sqrt(sum_j delta_j^2), scaled up to d columns from those that counted, inf if none did
//     otherwise:  D = sum_j delta_j / (columns that counted), 1 if none did
//
// The tables are checked by the caller when they are learned or loaded; a code outside its table counts as missing.
// Twin in NumPy: tests/distances/test_mixed.py, by_the_book.
#include <cmath>
#include <vector>

#include "assay/array.hpp"

using namespace assay;

namespace {

struct Columns {
    const uint8_t *kind;
    const int64_t *start;
    const double *worth;
    const int32_t *width;
    int64_t d;
};

template <bool square, bool gaps>
inline double apart(const double *a, const double *b, const Columns &columns) {
    double sum = 0;
    int64_t there = 0;
    for (int64_t j = 0; j < columns.d; ++j) {
        const double difference = a[j] - b[j];
        double delta = 0;
        bool known = difference == difference;  // neither is NaN
        if (columns.kind[j] == 0) {
            delta = std::fabs(difference);
        } else if (columns.kind[j] == 1) {
            delta = difference != 0;
        } else if (known) {
            const double c = columns.width[j];
            known = a[j] >= 0 && a[j] < c && b[j] >= 0 && b[j] < c;
            if (known) delta = columns.worth[columns.start[j] + int64_t(a[j]) * columns.width[j] + int64_t(b[j])];
        }
        if (gaps) {
            delta = known ? delta : 1.0;
            sum += square ? delta * delta : delta;
        } else if (known) {
            sum += square ? delta * delta : delta;
            ++there;
        }
    }
    const int64_t counted = gaps ? columns.d : there;
    if (square && counted == columns.d) return std::sqrt(sum);
    if (square) return counted ? std::sqrt(sum * (double(columns.d) / double(counted))) : HUGE_VAL;
    return counted ? sum / double(counted) : 1.0;
}

template <bool square, bool gaps>
inline void all_pairs(View2<const double> A, View2<const double> B, const Columns &columns, double *out) {
    for (int64_t i = 0; i < A.rows(); ++i)
        for (int64_t j = 0; j < B.rows(); ++j) *out++ = apart<square, gaps>(A.row(i), B.row(j), columns);
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
    require(B.cols() == d && kind.size() == d && start.size() == d + 1 && out.rows() == A.rows() && out.cols() == B.rows(),
            "mixed distances: shapes do not fit");
    std::vector<int32_t> width(size_t(d), 0);
    for (int64_t j = 0; j < d; ++j) {
        const int64_t cells = start[j + 1] - start[j];
        require(start[j] >= 0 && cells >= 0 && start[j + 1] <= worth.size(), "mixed distances: a table lies outside");
        width[size_t(j)] = int32_t(std::sqrt(double(cells)));
        require(int64_t(width[size_t(j)]) * width[size_t(j)] == cells, "mixed distances: a table is not square");
    }
    const nb::gil_scoped_release unlocked;
    const Columns columns{kind.data(), start.data(), worth.data(), width.data(), d};
    if (square && gaps) all_pairs<true, true>(A, B, columns, out.data());
    else if (square) all_pairs<true, false>(A, B, columns, out.data());
    else if (gaps) all_pairs<false, true>(A, B, columns, out.data());
    else all_pairs<false, false>(A, B, columns, out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Distances of mixed rows.";
    m.def("distances", &distances);
}
