// Ranks of columns: equal numbers have equal ranks, 0, 1, 2, ... in ascending order, missing (NaN) the rank behind
// the last. Categories are ranked by their codes.
//
//     order[j] = (rank << 32 | row) of column j, sorted          ranks[j] = rank of each row
//
// The upper halves of the numbers' bits are sorted first; runs that agree in these are sorted by the whole number.
// Twin in NumPy: tests/trees/test_columns.py, ranks_by_the_book.
#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/sorting.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace assay;

namespace {

inline uint64_t ascending(double x) {  // bits that sort as the numbers do
    uint64_t bits;
    x += 0.0;  // -0.0 is 0.0
    std::memcpy(&bits, &x, 8);
    return bits ^ (uint64_t(int64_t(bits) >> 63) | (uint64_t(1) << 63));
}

struct Found {
    int64_t distinct, missing;
};

// Sorts the numbers of one column; order gets (rank << 32 | row), values the distinct numbers, if they are wanted.
Found rank_column(const double *x, int64_t n, uint64_t *order, uint64_t *scratch, int32_t *counter,
                  std::vector<double> *values) {
    int64_t known = 0, missing = 0;
    uint32_t low = ~uint32_t(0), high = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (std::isnan(x[i])) {
            scratch[missing++] = uint64_t(i);
            continue;
        }
        const uint32_t top = upper(ascending(x[i]));
        low = std::min(low, top), high = std::max(high, top);
        order[known++] = uint64_t(top) << 32 | uint64_t(i);
    }
    for (int64_t i = 0; i < missing; ++i) order[known + i] = scratch[i];
    const uint64_t *sorted = known ? sort_keys(order, scratch, known, low, high, counter) : order;
    if (sorted != order) std::copy(sorted, sorted + known, order);
    for (int64_t a = 0, b = 0; a < known; a = b) {
        for (b = a + 1; b < known && upper(order[b]) == upper(order[a]); ++b) {}
        bool equal = true;
        for (int64_t i = a + 1; i < b; ++i) equal &= x[lower(order[i])] == x[lower(order[a])];
        if (equal) continue;
        std::sort(order + a, order + b, [x](uint64_t u, uint64_t v) {
            const double p = x[lower(u)], q = x[lower(v)];
            return p < q || (p == q && lower(u) < lower(v));
        });
    }
    int64_t distinct = 0;
    double last = std::numeric_limits<double>::quiet_NaN();
    for (int64_t i = 0; i < known; ++i) {
        const double v = x[lower(order[i])];
        if (v != last) {
            ++distinct, last = v;
            if (values) values->push_back(v);
        }
        order[i] = uint64_t(distinct - 1) << 32 | lower(order[i]);
    }
    for (int64_t i = known; i < n; ++i) order[i] |= uint64_t(distinct) << 32;
    return {distinct, missing};
}

// The same for codes 0..r-1: one counting pass.
Found rank_codes(const double *x, int64_t n, int32_t r, uint64_t *order, std::vector<double> *values) {
    std::vector<int64_t> at(size_t(r) + 2);
    const auto code = [x, r](int64_t i) { return std::isnan(x[i]) ? r : int32_t(x[i]); };
    for (int64_t i = 0; i < n; ++i) ++at[code(i) + 1];
    const int64_t missing = at[r + 1];
    for (int32_t c = 1; c <= r; ++c) at[c] += at[c - 1];
    for (int64_t i = 0; i < n; ++i) order[at[code(i)]++] = uint64_t(code(i)) << 32 | uint64_t(i);
    for (int32_t c = 0; values && c < r; ++c) values->push_back(c);
    return {r, missing};
}

// Columns from..to of X. order and ranks are (d, n) or (0, 0): what is not wanted is not written. The distinct numbers
// are kept only if asked for: the table and the order say them as well.
template <class F>
nb::tuple rank_block(In2<F> X_, int64_t from, int64_t to, In1<int32_t> categories, InOut2<uint64_t> order_,
                     InOut2<int32_t> ranks_, bool keep_values) {
    const auto X = view(X_);
    const auto order = view(order_);
    const auto ranks = view(ranks_);
    const int64_t n = X.rows(), d = X.cols();
    require(0 <= from && from <= to && to <= d && int64_t(categories.shape(0)) == d, "rank_block: columns");
    require((order.rows() == 0 || (order.rows() == d && order.cols() == n)) &&
                (ranks.rows() == 0 || (ranks.rows() == d && ranks.cols() == n)),
            "rank_block: shapes");
    const int32_t *r = categories.data();
    std::vector<double> values;
    std::vector<int64_t> distinct, missing_counts;
    bool fits = true;
    {
        nb::gil_scoped_release unlocked;
        // Columns copied out of a row-major table together: one cache line, or half of it where memory counts.
        const int64_t SIDE = n < (1 << 16) ? 8 : 4;
        std::vector<double> columns(size_t(std::min(SIDE, to - from) * n));
        if (keep_values) values.reserve(size_t((to - from) * n));  // pages that are not written to take no memory
        std::vector<uint64_t> scratch(n), own(order.rows() ? 0 : n);
        std::vector<int32_t> counter(BUCKETS);
        for (int64_t first = from; first < to && fits; first += SIDE) {
            const int64_t side = std::min(SIDE, to - first);
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < side; ++j) columns[j * n + i] = double(X.row(i)[first + j]);
            for (int64_t j = first; j < first + side && fits; ++j) {
                const double *x = columns.data() + (j - first) * n;
                uint64_t *o = order.rows() ? order.row(j) : own.data();
                for (int64_t i = 0; i < n && r[j] > 0; ++i) fits &= !(x[i] < 0 || x[i] >= r[j]);
                if (!fits) break;
                std::vector<double> *kept = keep_values ? &values : nullptr;
                const Found found = r[j] > 0 ? rank_codes(x, n, r[j], o, kept)
                                             : rank_column(x, n, o, scratch.data(), counter.data(), kept);
                missing_counts.push_back(found.missing), distinct.push_back(found.distinct);
                if (!ranks.rows()) continue;
                int32_t *out = ranks.row(j);
                for (int64_t i = 0; i < n; ++i) out[lower(o[i])] = int32_t(upper(o[i]));
            }
        }
    }
    require(fits, "rank_block: a category code is outside 0..r-1");
    return nb::make_tuple(give(std::move(values)), give(std::move(distinct)), give(std::move(missing_counts)));
}

bool rows_within(const In1<uint64_t> &order) {
    bool fits = true;
    for (int64_t i = 0; i < length(order); ++i) fits &= int64_t(lower(order.data()[i])) < length(order);
    return fits;
}

// The distinct numbers of column j, which the order found; values has one place for each.
void values_of_order(In1<uint64_t> order, In2<double> X, int64_t j, InOut1<double> values) {
    const int64_t n = int64_t(order.shape(0)), d = int64_t(X.shape(1)), distinct = int64_t(values.shape(0));
    require(int64_t(X.shape(0)) == n && 0 <= j && j < d, "values_of_order: shapes");
    require(rows_within(order), "values_of_order: a row that is not there");
    nb::gil_scoped_release unlocked;
    for (int64_t i = n; i-- > 0;) {
        const int64_t rank = upper(order.data()[i]);
        if (rank < distinct) values.data()[rank] = X.data()[int64_t(lower(order.data()[i])) * d + j];
    }
}

// ranks from order, and order from ranks (a counting sort; distinct counts the missing as one more).
void ranks_of_order(In1<uint64_t> order, InOut1<int32_t> ranks) {
    const int64_t n = int64_t(order.shape(0));
    require(int64_t(ranks.shape(0)) == n, "ranks_of_order: shapes");
    require(rows_within(order), "ranks_of_order: a row that is not there");
    const uint64_t *o = order.data();
    int32_t *out = ranks.data();
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < n; ++i) out[lower(o[i])] = int32_t(upper(o[i]));
}

void order_of_ranks(In1<int32_t> ranks, int64_t distinct, InOut1<uint64_t> order) {
    const int64_t n = int64_t(ranks.shape(0));
    require(int64_t(order.shape(0)) == n && distinct >= 0, "order_of_ranks: shapes");
    require(distinct <= n + 1 && within(ranks, 0, distinct), "order_of_ranks: a rank that is not there");
    const int32_t *in = ranks.data();
    uint64_t *out = order.data();
    nb::gil_scoped_release unlocked;
    std::vector<int64_t> at(size_t(distinct) + 2);
    for (int64_t i = 0; i < n; ++i) ++at[in[i] + 1];
    for (int64_t c = 1; c < distinct; ++c) at[c] += at[c - 1];
    for (int64_t i = 0; i < n; ++i) out[at[in[i]]++] = uint64_t(in[i]) << 32 | uint64_t(i);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "rank_block", &rank_block<double>, "X", "first", "last", "categories", "order", "ranks", "keep_values");
    define(m, "rank_block", &rank_block<float>, "X", "first", "last", "categories", "order", "ranks", "keep_values");
    define(m, "values_of_order", &values_of_order, "order", "X", "j", "values");
    define(m, "ranks_of_order", &ranks_of_order, "order", "ranks");
    define(m, "order_of_ranks", &order_of_ranks, "ranks", "distinct", "order");
}
