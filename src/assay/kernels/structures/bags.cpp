// Bags: rows that are counts of features, each feature a number of 64 bits, without any list of all features.
//
//     substrings:  the features of all runs of p codes of a sequence
//     merged:      equal features of a row become one, with the sum of their values
//     products:    out[i, j] = sum over features of A_i[f] B_j[f]
//
// B is given by feature: `keys` ascending, and for each of them where its rows and values begin.
// Twins in NumPy: tests/kernels/structures/test_bags.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

#include <algorithm>
#include <vector>

using namespace assay;

namespace {

inline uint64_t mixed(uint64_t x) {  // splitmix64: every bit of x moves half of the bits that come out
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

void substrings(In1<uint64_t> codes,    // in   (c,)
                In1<int64_t> start,     // in   (n + 1,) where each sequence begins
                int64_t p,
                In1<int64_t> first,     // in   (n + 1,) where the features of each sequence go
                InOut1<uint64_t> out) { // out
    const int64_t n = length(start) - 1;
    require(n >= 0 && p > 0 && shares_out(start, n, length(codes)) && shares_out(first, n, length(out)),
            "substrings: sizes");
    for (int64_t i = 0; i < n; ++i)
        require(first.data()[i + 1] - first.data()[i] ==
                    std::max<int64_t>(start.data()[i + 1] - start.data()[i] - p + 1, 0),
                "substrings: number of features");
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t *code = codes.data() + start.data()[i];
        uint64_t *to = out.data() + first.data()[i];
        for (int64_t s = 0; s < first.data()[i + 1] - first.data()[i]; ++s) {
            uint64_t h = mixed(uint64_t(p));
            for (int64_t t = 0; t < p; ++t) h = mixed(h ^ code[s + t]);
            to[s] = h;
        }
    }
}

// Sorts the features of each row, in place, and merges equal ones; returns where the rows begin afterwards.
nb::object merged(In1<int64_t> start,         // in      (n + 1,)
                  InOut1<uint64_t> feature,   // in/out  (e,)
                  InOut1<double> value) {     // in/out  (e,)
    const int64_t n = length(start) - 1;
    require(n >= 0 && length(feature) == length(value) && shares_out(start, n, length(feature)), "merged: sizes");
    std::vector<int64_t> begins(size_t(n) + 1, 0);
    {
        nb::gil_scoped_release unlocked;
        std::vector<std::pair<uint64_t, double>> row;
        int64_t next = 0;
        for (int64_t i = 0; i < n; ++i) {
            row.clear();
            for (int64_t e = start.data()[i]; e < start.data()[i + 1]; ++e)
                row.emplace_back(feature.data()[e], value.data()[e]);
            std::stable_sort(row.begin(), row.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
            for (size_t e = 0; e < row.size(); ++e) {
                if (e && row[e].first == row[e - 1].first) {
                    value.data()[next - 1] += row[e].second;
                    continue;
                }
                feature.data()[next] = row[e].first;  // next never passes what is still to be read
                value.data()[next++] = row[e].second;
            }
            begins[size_t(i) + 1] = next;
        }
    }
    return give(std::move(begins));
}

void products(In1<int64_t> start,      // in   (n + 1,) rows of A
              In1<uint64_t> feature,   // in   (e,) ascending in each row
              In1<double> value,       // in   (e,)
              In1<uint64_t> keys,      // in   (f,) ascending: the features of B
              In1<int64_t> first,      // in   (f + 1,)
              In1<int64_t> rows,       // in   (g,) rows of B, below m
              In1<double> values,      // in   (g,)
              InOut2<double> out) {    // out  (n, m)
    const auto result = view(out);
    const int64_t n = result.rows(), m = result.cols(), f = length(keys);
    require(length(feature) == length(value) && shares_out(start, n, length(feature)), "products: rows of A");
    require(length(rows) == length(values) && shares_out(first, f, length(rows)) && within(rows, 0, m),
            "products: rows of B");
    nb::gil_scoped_release unlocked;
    const uint64_t *key = keys.data();
    for (int64_t i = 0; i < n; ++i) {
        double *to = result.row(i);
        std::fill(to, to + m, 0.0);
        const uint64_t *at = key;
        for (int64_t e = start.data()[i]; e < start.data()[i + 1]; ++e) {
            at = std::lower_bound(at, key + f, feature.data()[e]);
            if (at == key + f) break;
            if (*at != feature.data()[e]) continue;
            const double x = value.data()[e];
            for (int64_t g = first.data()[at - key]; g < first.data()[at - key + 1]; ++g)
                to[rows.data()[g]] += x * values.data()[g];
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "substrings", &substrings, "codes", "start", "p", "first", "out");
    define(m, "merged", &merged, "start", "feature", "value");
    define(m, "products", &products, "start", "feature", "value", "keys", "first", "rows", "values", "out");
}
