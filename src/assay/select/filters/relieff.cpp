// The nearest rows of each class, by the distance of Relief, for the rows of a mixed table.
//
//     D(a, b) = sum_j diff_j(a, b),   diff = |x_a - x_b| of numbers (scaled to a range of 1),  [x_a != x_b] of codes
//
// and where a value is missing, what is to be expected of it given the class of its row:
//
//     one missing     expected[j, row whose value is known, class of the other]
//     both missing    pair[j, class of a, class of b]
//
// Tables lie column by column, so that the distances of one query to many rows are plain loops; several queries share
// each piece of a column while it is in the cache. Of equal distances the lower row is the nearer.
//
// Checked by the caller: no NaN in numbers and codes, weights not negative.
// Twin in NumPy: tests/select/filters/test_relieff.py, nearest_by_the_book.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t QUERIES = 8, PIECE = 1024;

struct Columns {
    In2<double> numbers;     // (a, n)
    In2<double> codes;       // (b, n)
    In2<double> gaps;        // (g, n) columns with missing values, NaN where missing
    In1<uint8_t> nominal;    // (g,) whether these hold codes
    In2<double> expected;    // (g n, K) row (j n + i): what a missing value of each class differs by from row i's
    In2<double> pair;        // (g K, K) row (j K + class): what two missing values differ by
    In1<int64_t> group;      // (n,) class of each row

    void check() const {
        const int64_t n = length(group), g = length(gaps), K = int64_t(pair.shape(1));
        require(int64_t(numbers.shape(1)) == n && int64_t(codes.shape(1)) == n && int64_t(gaps.shape(1)) == n,
                "Columns: a value for each row");
        require(length(nominal) == g && length(expected) == sized(g, n, "Columns: too large") &&
                    int64_t(expected.shape(1)) == K && length(pair) == sized(g, K, "Columns: too large"),
                "Columns: an expectation for each row and class");
        require(K > 0 && within(group, 0, K), "Columns: a class that is not there");
    }
};

HOT void add_numbers(const double *x, int64_t n, double v, double *distance) {
    for (int64_t i = 0; i < n; ++i) distance[i] += std::fabs(x[i] - v);
}

HOT void add_codes(const double *x, int64_t n, double v, double *distance) {
    for (int64_t i = 0; i < n; ++i) distance[i] += x[i] != v ? 1.0 : 0.0;
}

void add_gaps(const Columns &columns, int64_t j, int64_t query, int64_t from, int64_t to, double *distance) {
    const int64_t n = length(columns.group), K = int64_t(columns.pair.shape(1));
    const double *x = columns.gaps.data() + j * n, *expected = columns.expected.data() + j * n * K;
    const double *pair = columns.pair.data() + j * K * K, v = x[query];
    const int64_t *group = columns.group.data(), own = group[query];
    const bool nominal = columns.nominal.data()[j];
    for (int64_t i = from; i < to; ++i) {
        const bool here = x[i] == x[i];
        double apart;
        if (v == v) apart = here ? (nominal ? double(x[i] != v) : std::fabs(x[i] - v)) : expected[query * K + group[i]];
        else apart = here ? expected[i * K + own] : pair[own * K + group[i]];
        distance[i - from] += apart;
    }
}

// Ascending by distance, then by row.
using Neighbour = std::pair<double, int64_t>;

void nearest(Columns &columns,
             In1<int64_t> query,        // in   (m,) rows
             In1<double> w,             // in   (n,) or (0,) for ones
             int64_t k, bool by_class,  // k of each class, or of all rows
             InOut2<int64_t> row,       // out  (m K or m, k) -1 where there are no more
             InOut2<double> share) {    // out  the same size: how many of the k neighbours the row stands for
    const int64_t n = length(columns.group), m = length(query), K = by_class ? int64_t(columns.pair.shape(1)) : 1;
    require(within(query, 0, n) && weighs(w, n) && k > 0, "nearest: rows that are not there, or no neighbours");
    const int64_t lists = sized(m, K, "nearest: too large");
    require(length(row) == lists && int64_t(row.shape(1)) == k && length(share) == lists &&
                int64_t(share.shape(1)) == k,
            "nearest: a place for each neighbour");
    nb::gil_scoped_release unlocked;
    const double *weight = w.size() ? w.data() : nullptr;
    std::vector<double> distance(QUERIES * n);
    std::vector<std::vector<Neighbour>> best(K);
    for (int64_t first = 0; first < m; first += QUERIES) {
        const int64_t some = std::min(QUERIES, m - first);
        const int64_t *asked = query.data() + first;
        std::fill(distance.begin(), distance.end(), 0.0);
        for (int64_t from = 0; from < n; from += PIECE) {
            const int64_t size = std::min(PIECE, n - from);
            for (int64_t j = 0; j < length(columns.numbers); ++j)
                for (int64_t q = 0; q < some; ++q) {
                    const double *x = columns.numbers.data() + j * n;
                    add_numbers(x + from, size, x[asked[q]], &distance[q * n + from]);
                }
            for (int64_t j = 0; j < length(columns.codes); ++j)
                for (int64_t q = 0; q < some; ++q) {
                    const double *x = columns.codes.data() + j * n;
                    add_codes(x + from, size, x[asked[q]], &distance[q * n + from]);
                }
            for (int64_t j = 0; j < length(columns.gaps); ++j)
                for (int64_t q = 0; q < some; ++q)
                    add_gaps(columns, j, asked[q], from, from + size, &distance[q * n + from]);
        }
        for (int64_t q = 0; q < some; ++q) {
            const double *apart = &distance[q * n];
            for (auto &list : best) list.clear();
            for (int64_t i = 0; i < n; ++i) {
                if (weight ? weight[i] == 0.0 || (i == asked[q] && weight[i] <= 1.0) : i == asked[q]) continue;
                auto &list = best[by_class ? columns.group.data()[i] : 0];
                const Neighbour here(apart[i], i);
                if (weight) list.push_back(here);
                else if (int64_t(list.size()) < k) list.push_back(here), std::push_heap(list.begin(), list.end());
                else if (here < list.front()) {
                    std::pop_heap(list.begin(), list.end());
                    list.back() = here;
                    std::push_heap(list.begin(), list.end());
                }
            }
            for (int64_t c = 0; c < K; ++c) {
                auto &list = best[c];
                std::sort(list.begin(), list.end());
                int64_t *rows = row.data() + ((first + q) * K + c) * k;
                double *shares = share.data() + ((first + q) * K + c) * k, open = double(k);
                std::fill(rows, rows + k, -1);
                std::fill(shares, shares + k, 0.0);
                int64_t place = 0;
                for (const auto &[gap, i] : list) {
                    if (open <= 0.0 || place == k) break;
                    const double stands = weight ? weight[i] - (i == asked[q] ? 1.0 : 0.0) : 1.0;
                    rows[place] = i;
                    shares[place++] = std::min(open, stands);
                    open -= stands;
                }
            }
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Columns>(m, "Columns", field("numbers", &Columns::numbers), field("codes", &Columns::codes),
                    field("gaps", &Columns::gaps), field("nominal", &Columns::nominal),
                    field("expected", &Columns::expected), field("pair", &Columns::pair),
                    field("group", &Columns::group));
    define(m, "nearest", &nearest, "columns", "query", "w", "k", "by_class", "row", "share");
}
