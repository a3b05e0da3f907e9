// Numbers to bins: the code of x is how many thresholds of its column lie below it.
//
//     threshold_(b-1) < x <= threshold_b    has code b;    a missing value has the code after the last bin
//     category c                            has code bin_of_c
//
// Codes are written twice, in panels of `width` columns (row after row) and column after column; see histogram.hpp.
// Checked by the caller: increasing thresholds, filled up to 256 a column with infinity.
// Twin in NumPy: tests/ensembles/test_hist_bins.py, codes_by_the_book.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "assay/array.hpp"
#include "assay/boosting/binned.hpp"

using namespace assay;
using std::uint16_t;
using std::uint64_t;

namespace {

constexpr int64_t TILE = 256;

struct Target {
    uint8_t *panels, *columns;
    uint16_t *wide;
    int64_t n, width;
};

// out = number of thresholds below each x, by halving: `first` is the power of two above their number, halved
HOT void positions(const double *x, int64_t m, const double *thresholds, int32_t first, int32_t *out) {
    for (int64_t i = 0; i < m; ++i) out[i] = 0;
    for (int32_t step = first; step > 0; step >>= 1)
        for (int64_t i = 0; i < m; ++i) out[i] += thresholds[out[i] + step - 1] < x[i] ? step : 0;
}

template <class T>
void bin_rows(In2<T> X,                      // in   (n, d)
              int64_t a, int64_t b,          // rows a to b
              const Binned &binned,
              InOut2<uint8_t> panels,        // out  (panels * n, width)
              InOut2<uint8_t> columns,       // out  (d8, n)
              InOut2<uint16_t> wide) {       // out  (d16, n)
    const auto &[bins, place, nominal, thresholds, bin_of, category_start, wide_start, width] = binned;
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), d8 = length(columns);
    require(0 <= a && a <= b && b <= n && length(thresholds) == d && thresholds.shape(1) == 256 && length(bins) == d &&
                length(place) == d && length(nominal) == d && shares_out(category_start, d, length(bin_of)),
            "bin_rows: rows of X, and one entry for each of its columns");
    require(width > 0 && int64_t(panels.shape(1)) == width && length(panels) >= (d8 + width - 1) / width * n &&
                int64_t(columns.shape(1)) == n && int64_t(wide.shape(1)) == n,
            "bin_rows: a place for each code");
    for (int64_t j = 0; j < d; ++j) {
        const int64_t p = place.data()[j];
        require(p >= 0 ? p < d8 : ~p < length(wide), "bin_rows: a column without a place");
        require(bins.data()[j] >= 0 && (nominal.data()[j] || bins.data()[j] <= 256), "bin_rows: number of bins");
    }
    nb::gil_scoped_release unlocked;
    double x[TILE];
    int32_t code[TILE];
    for (int64_t t = a; t < b; t += TILE) {
        const int64_t m = b - t < TILE ? b - t : TILE;
        for (int64_t j = 0; j < d; ++j) {
            for (int64_t i = 0; i < m; ++i) x[i] = double(X.data()[(t + i) * d + j]);
            const int32_t none = bins.data()[j], p = place.data()[j];
            if (nominal.data()[j]) {
                const int32_t *bin = bin_of.data() + category_start.data()[j];
                const double known = double(category_start.data()[j + 1] - category_start.data()[j]);
                for (int64_t i = 0; i < m; ++i) code[i] = x[i] >= 0.0 && x[i] < known ? bin[int64_t(x[i])] : none;
            } else {
                int32_t first = 1;
                while (2 * first < none) first *= 2;
                positions(x, m, thresholds.data() + j * 256, first, code);
                for (int64_t i = 0; i < m; ++i) code[i] = std::isnan(x[i]) ? none : code[i];
            }
            if (p < 0) {
                uint16_t *out = wide.data() + int64_t(~p) * n + t;
                for (int64_t i = 0; i < m; ++i) out[i] = uint16_t(code[i]);
            } else {
                uint8_t *out = columns.data() + int64_t(p) * n + t;
                uint8_t *panel = panels.data() + (p / width * n + t) * width + p % width;
                for (int64_t i = 0; i < m; ++i) out[i] = panel[i * width] = uint8_t(code[i]);
            }
        }
    }
}

// out = the values of column j in order, missing ones left out; how many there are. Radix sort: 11 bits at a time, from
// the lowest, of the numbers' bits in an order-preserving form. Twin: np.sort.
template <class T>
int64_t sort_column(In2<T> X,                // in   (n, d)
                    int64_t j,
                    InOut1<double> out,      // out  (n,)
                    InOut1<uint64_t> room,   // (n,)  lost
                    InOut1<uint64_t> other) {  // (n,)  lost
    constexpr int DIGITS = 6, BITS = 11, SIZE = 1 << BITS;
    constexpr uint64_t TOP = uint64_t(1) << 63;
    require(out.shape(0) == X.shape(0) && room.shape(0) == X.shape(0) && other.shape(0) == X.shape(0) && 0 <= j &&
                j < int64_t(X.shape(1)),
            "sort_column: room for each row, and a column of X");
    nb::gil_scoped_release unlocked;
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1));
    uint64_t *keys = room.data(), *next = other.data();
    int64_t m = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double x = double(X.data()[i * d + j]);
        uint64_t key;
        std::memcpy(&key, &x, 8);
        keys[m] = key ^ (key & TOP ? ~uint64_t(0) : TOP);
        m += x == x;
    }
    const bool few = m < 2 * SIZE;
    if (few) std::sort(keys, keys + m);
    std::vector<int64_t> counts(few ? 0 : DIGITS * SIZE, 0);
    for (int64_t i = 0; !few && i < m; ++i)
        for (int p = 0; p < DIGITS; ++p) ++counts[p * SIZE + (keys[i] >> (p * BITS) & (SIZE - 1))];
    for (int p = 0; !few && p < DIGITS; ++p) {
        int64_t *count = counts.data() + p * SIZE, before = 0;
        if (count[keys[0] >> (p * BITS) & (SIZE - 1)] == m) continue;  // all alike
        for (int k = 0; k < SIZE; ++k) {
            const int64_t c = count[k];
            count[k] = before, before += c;
        }
        for (int64_t i = 0; i < m; ++i) next[count[keys[i] >> (p * BITS) & (SIZE - 1)]++] = keys[i];
        std::swap(keys, next);
    }
    for (int64_t i = 0; i < m; ++i) {
        const uint64_t key = keys[i] ^ (keys[i] & TOP ? TOP : ~uint64_t(0));
        std::memcpy(out.data() + i, &key, 8);
    }
    return m;
}

// The distinct values of column j, unsorted and without missing ones, by a table of hashes; -1 if they exceed the room.
template <class T>
int64_t few_values(In2<T> X,                // in   (n, d)
                   int64_t j,
                   InOut1<double> out) {    // out  (limit,)
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), limit = length(out);
    require(0 <= j && j < d && limit <= 1 << 16, "few_values: a column of X, and room");
    nb::gil_scoped_release unlocked;
    size_t size = 4;
    while (int64_t(size) < 4 * limit) size *= 2;
    std::vector<int32_t> table(size, -1);
    int64_t m = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double x = double(X.data()[i * d + j]) + 0.0;  // -0 is 0
        if (x != x) continue;
        uint64_t key;
        std::memcpy(&key, &x, 8);
        size_t at = size_t((key ^ key >> 32) * 0x9e3779b97f4a7c15u >> 40) & (size - 1);
        while (table[at] >= 0 && out.data()[table[at]] != x) at = (at + 1) & (size - 1);
        if (table[at] >= 0) continue;
        if (m == limit) return -1;
        out.data()[m] = x, table[at] = int32_t(m++);
    }
    return m;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Binned>(m, "Binned", field("bins", &Binned::bins), field("place", &Binned::place),
                   field("nominal", &Binned::nominal), field("thresholds", &Binned::thresholds),
                   field("bin_of", &Binned::bin_of), field("category_start", &Binned::category_start),
                   field("wide_start", &Binned::wide_start), field("width", &Binned::width));
    define(m, "bin_rows", &bin_rows<double>, "X", "a", "b", "binned", "panels", "columns", "wide");
    define(m, "bin_rows", &bin_rows<float>, "X", "a", "b", "binned", "panels", "columns", "wide");
    define(m, "sort_column", &sort_column<double>, "X", "j", "out", "room", "other");
    define(m, "sort_column", &sort_column<float>, "X", "j", "out", "room", "other");
    define(m, "few_values", &few_values<double>, "X", "j", "out");
    define(m, "few_values", &few_values<float>, "X", "j", "out");
}
