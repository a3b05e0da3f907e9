// Which rules cover a row: the first one, or all of them.
//
//     condition c holds for x :  low_c <= x_j <= high_c,  or bit x_j of the codes of c,  or missing_c if x_j is NaN
//     rule r covers row i     :  all conditions start_r .. start_{r+1} - 1 hold
//
// Open ends were moved to the next number by the caller, so that both ends are closed here.
// Checked here, once a call: columns, rule starts and places in the pool of bits, which may come from a file.
// Twin in NumPy: tests/rulebase/test_firing.py, by_the_book.
#include <algorithm>
#include <cstring>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct Conditions {
    const int64_t *start;     // (R + 1,) where the conditions of each rule begin
    const int32_t *column;    // (C,)
    const double *low, *high; // (C,)
    const int64_t *word;      // (C,)     where the codes begin in the pool, -1 for an interval
    const int64_t *codes;     // (C,)     how many codes the column has
    const uint8_t *missing;   // (C,)     whether a missing value meets the condition
    const uint64_t *pool;     // (W,)     a bit for each code
    int64_t rules;
};

inline bool holds(const Conditions &all, int64_t c, const double *row) {
    const double x = row[all.column[c]];
    if (all.word[c] < 0) return (x >= all.low[c] && x <= all.high[c]) || (x != x && all.missing[c]);
    if (x != x) return all.missing[c];
    if (!(x >= 0.0 && x < double(all.codes[c]))) return false;
    const int64_t code = int64_t(x);
    return double(code) == x && (all.pool[all.word[c] + (code >> 6)] >> (code & 63) & 1);
}

// held_i <- held_i and (condition c holds for row i), for m rows: no branch depends on a value
void narrow(const Conditions &all, int64_t c, const double *rows, int64_t m, int64_t d, uint8_t *held) {
    const double *x = rows + all.column[c];
    const uint8_t gone = all.missing[c];
    if (all.word[c] < 0) {
        const double low = all.low[c], high = all.high[c];
        for (int64_t i = 0; i < m; ++i) {
            const double v = x[i * d];
            held[i] &= uint8_t((v >= low) & (v <= high)) | uint8_t((v != v) & gone);
        }
        return;
    }
    const double codes = double(all.codes[c]);
    const uint64_t *bits = all.pool + all.word[c];
    for (int64_t i = 0; i < m; ++i) {
        const double v = x[i * d];
        const bool inside = (v >= 0.0) & (v < codes);
        const int64_t code = inside ? int64_t(v) : 0;
        const bool hit = inside && double(code) == v && (bits[code >> 6] >> (code & 63) & 1);
        held[i] &= uint8_t(hit) | uint8_t((v != v) & gone);
    }
}

inline bool covers(const Conditions &all, int64_t r, const double *row) {
    for (int64_t c = all.start[r]; c < all.start[r + 1]; ++c)
        if (!holds(all, c, row)) return false;
    return true;
}

Conditions checked(In2<double> X, In1<int64_t> start, In1<int32_t> column, In1<double> low, In1<double> high,
                   In1<int64_t> word, In1<int64_t> codes, In1<uint8_t> missing, In1<uint64_t> pool) {
    const int64_t C = column.shape(0), W = pool.shape(0), d = X.shape(1);
    const int64_t R = int64_t(start.shape(0)) - 1;
    require(R >= 0 && start.data()[0] == 0 && start.data()[R] == C,
            "firing: the rules do not share out the conditions");
    for (int64_t r = 0; r < R; ++r)
        require(start.data()[r] <= start.data()[r + 1], "firing: a rule ends before it begins");
    const bool fits = int64_t(low.shape(0)) == C && int64_t(high.shape(0)) == C && int64_t(word.shape(0)) == C &&
                      int64_t(codes.shape(0)) == C && int64_t(missing.shape(0)) == C;
    require(fits, "firing: conditions of different lengths");
    for (int64_t c = 0; c < C; ++c) {
        require(column.data()[c] >= 0 && column.data()[c] < d, "firing: a condition on a column that is not there");
        const int64_t at = word.data()[c], k = codes.data()[c];
        require(at < 0 || (k >= 0 && k <= 64 * W && at <= W - (k + 63) / 64), "firing: codes outside of the pool");
    }
    return {start.data(),   column.data(), low.data(), high.data(), word.data(), codes.data(),
            missing.data(), pool.data(),   R};
}

void first(In2<double> X,            // in      (n, d)
           In1<int64_t> start, In1<int32_t> column, In1<double> low, In1<double> high, In1<int64_t> word,
           In1<int64_t> codes, In1<uint8_t> missing, In1<uint64_t> pool,
           InOut1<int64_t> out) {    // out     (n,)     the first rule that covers the row, -1 if none does
    const Conditions all = checked(X, start, column, low, high, word, codes, missing, pool);
    require(out.shape(0) == X.shape(0), "first: an answer for each row");
    nb::gil_scoped_release unlocked;
    const auto rows = view(X);
    for (int64_t i = 0; i < rows.rows(); ++i) {
        const double *row = rows.row(i);
        int64_t r = 0;
        while (r < all.rules && !covers(all, r, row)) ++r;
        out.data()[i] = r < all.rules ? r : -1;
    }
}

void cover(In2<double> X,            // in      (n, d)
           In1<int64_t> start, In1<int32_t> column, In1<double> low, In1<double> high, In1<int64_t> word,
           In1<int64_t> codes, In1<uint8_t> missing, In1<uint64_t> pool,
           InOut2<uint8_t> out) {    // out     (n, R)   1 where the rule covers the row
    const Conditions all = checked(X, start, column, low, high, word, codes, missing, pool);
    require(out.shape(0) == X.shape(0) && int64_t(out.shape(1)) == all.rules, "cover: an answer for each row and rule");
    nb::gil_scoped_release unlocked;
    const auto rows = view(X);
    const auto O = view(out);
    constexpr int64_t TILE = 256;  // rows that stay in the cache while all rules are asked
    uint8_t held[TILE];
    for (int64_t a = 0; a < rows.rows(); a += TILE) {
        const int64_t m = std::min(TILE, rows.rows() - a);
        for (int64_t r = 0; r < all.rules; ++r) {
            std::memset(held, 1, TILE);
            for (int64_t c = all.start[r]; c < all.start[r + 1]; ++c) narrow(all, c, rows.row(a), m, rows.cols(), held);
            for (int64_t i = 0; i < m; ++i) O.row(a + i)[r] = held[i];
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "first", &first, "X", "start", "column", "low", "high", "word", "codes", "missing", "pool", "out");
    define(m, "cover", &cover, "X", "start", "column", "low", "high", "word", "codes", "missing", "pool", "out");
}
