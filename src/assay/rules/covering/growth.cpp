// Growing of one rule: conditions are added one by one, each with the largest FOIL gain among the rows still covered.
//
//     gain = p (log2((p + c) / (t + c)) - log2((P + c) / (T + c)))
//
// where t rows (or weights) meet the candidate, p of them positive, T and P are those covered before, and c is 0 (the
// book) or 1. Columns are presorted keys (rank << 32 | row), missing values behind the last rank. A candidate is
// "rank <= a" or "rank >= b" for neighbouring ranks a, b of covered rows, or "rank = a" where the column is nominal. It
// is better only by more than one part in 10^10, so that sums of weights in another order choose alike; the first wins.
// Keys of rows that leave are pressed out, so a step costs what is still covered.
//
// Checked by the caller: keys of rows 0..n-1, ranks below the column's number of distinct values, or missing.
// Twins in NumPy: tests/rules/covering/test_growing.py, rule_by_the_book and depths_by_the_book.
#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/sorting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace assay;

namespace {

enum Kind : int32_t { NONE, BELOW, ABOVE, EQUAL };
constexpr double BETTER = 1 + 1e-10, NEARLY = 1 - 1e-9, SOME = 1e-12;
constexpr int64_t SIDE = 128;  // keys between two marks

struct Offer {
    double gain = 0;
    Kind kind = NONE;
    int64_t column = -1;
    uint32_t a = 0, b = 0;  // neighbouring ranks around the cut; EQUAL: a alone
};

struct Rows {
    const uint8_t *state;  // (n,) 1 negative, 2 positive, else not covered
    const double *w;  // (n,) weights, or null: each row counts 1
    const double *logs;  // log2 of 0, 1, 2, ... as far as rows can be counted; for rows that count 1
    double c;
    double P, T, base;  // covered so far: positives, all, log2((P + c) / (T + c))
};

template <bool W>
inline double log_ratio(const Rows &rows, double p, double t) {  // log2((p + c) / (t + c)), p > 0
    if constexpr (W) return std::log2((p + rows.c) / (t + rows.c));
    return rows.logs[int64_t(p + rows.c)] - rows.logs[int64_t(t + rows.c)];
}

template <bool W>
inline void add(const Rows &rows, uint64_t key, double &p, double &t) {
    const uint32_t row = lower(key);
    const double positive = double(rows.state[row] - 1);
    if constexpr (W) p += positive * rows.w[row], t += rows.w[row];
    else p += positive, t += 1;
}

template <bool W>
inline double gain_of(const Rows &rows, double p, double t) {
    return p > SOME * rows.P ? p * (log_ratio<W>(rows, p, t) - rows.base) : 0.0;
}

template <bool W>
inline void consider(const Rows &rows, double p, double t, Kind kind, int64_t column, uint32_t a, uint32_t b,
                     Offer &best) {
    // Without a logarithm: no denser than before, or no better even if it were pure.
    if ((p + rows.c) * (rows.T + rows.c) <= (rows.P + rows.c) * (t + rows.c) || -p * rows.base <= best.gain) return;
    const double gain = gain_of<W>(rows, p, t);
    if (gain > best.gain * BETTER && gain > SOME * rows.P) best = {gain, kind, column, a, b};
}

// What the keys up to some place add up to.
struct Mark {
    int64_t end;
    double p, t;
};

// Keeps the keys of covered rows, in order, and marks every SIDE keys how far their sums have come; from and to may be
// the same place.
template <bool W>
inline int64_t press(const Rows &rows, const uint64_t *from, int64_t m, uint64_t *to, std::vector<Mark> &marks) {
    int64_t kept = 0, positives = 0;
    double p = 0, t = 0;
    marks.clear();
    marks.push_back({0, 0, 0});
    for (int64_t i = 0; i < m;) {
        for (const int64_t end = std::min(i + SIDE, m); i < end; ++i) {
            const uint64_t key = from[i];
            const uint32_t row = lower(key);
            const uint8_t s = rows.state[row];
            const bool in = uint8_t(s - 1) < 2;
            to[kept] = key;
            kept += in;
            if constexpr (W) {
                const double one = in ? rows.w[row] : 0.0;
                t += one, p += s == 2 ? one : 0.0;
            } else {
                positives += s == 2;
            }
        }
        if constexpr (W) marks.push_back({kept, p, t});
        else marks.push_back({kept, double(positives), double(kept)});
    }
    return kept;
}

// The best condition of a numeric column; P and T are the sums of its first m keys, whose values are known. Between two
// marks p is at most that of the second, and the negatives at least those of the first (above a cut: the other way
// round); gain grows with p and falls with the negatives, so most stretches cannot hold the best cut and are passed
// over.
template <bool W>
inline void scan_numbers(const Rows &rows, const uint64_t *key, int64_t m, double P, double T, int64_t column,
                         const std::vector<Mark> &marks, Offer &best) {
    double bar = best.gain;
    for (const Mark &at : marks)
        if (at.end > 0 && at.end < m && upper(key[at.end - 1]) != upper(key[at.end]))
            bar = std::max({bar, NEARLY * gain_of<W>(rows, at.p, at.t), NEARLY * gain_of<W>(rows, P - at.p, T - at.t)});
    for (size_t q = 1; q < marks.size() && marks[q - 1].end < m; ++q) {
        const Mark &from = marks[q - 1], &to = marks[q];
        const double below = gain_of<W>(rows, to.p, to.p + (from.t - from.p));
        const double above = gain_of<W>(rows, P - from.p, P - from.p + std::max(T - P - (to.t - to.p), 0.0));
        if (to.end <= m && std::max(below, above) <= NEARLY * bar) continue;
        double p = from.p, t = from.t;
        for (int64_t i = from.end; i < std::min(to.end, m - 1); ++i) {
            add<W>(rows, key[i], p, t);
            const uint32_t a = upper(key[i]), b = upper(key[i + 1]);
            if (a == b) continue;
            consider<W>(rows, p, t, BELOW, column, a, b, best);
            consider<W>(rows, P - p, T - t, ABOVE, column, a, b, best);
        }
        bar = std::max(bar, best.gain);
    }
}

// The best category: sums up to where its keys end, less those up to where they begin; marks spare most of the adding.
template <bool W>
inline void scan_categories(const Rows &rows, const uint64_t *key, int64_t m, int64_t column,
                            const std::vector<Mark> &marks, Offer &best) {
    Mark last{0, 0, 0};
    for (size_t q = 0; last.end < m;) {
        const uint32_t a = upper(key[last.end]);
        const int64_t end = std::lower_bound(key + last.end, key + m, uint64_t(a + 1) << 32) - key;
        while (q + 1 < marks.size() && marks[q + 1].end <= end) ++q;
        Mark here = marks[q].end > last.end ? marks[q] : last;
        while (here.end < end) add<W>(rows, key[here.end++], here.p, here.t);
        consider<W>(rows, here.p - last.p, here.t - last.t, EQUAL, column, a, a, best);
        last = here;
    }
}

// Presses one column and looks for its best condition; returns how many keys are left.
template <bool W>
inline int64_t visit(const Rows &rows, const uint64_t *from, int64_t m, uint64_t *to, uint32_t distinct, bool nominal,
                     int64_t column, std::vector<Mark> &marks, Offer &best) {
    const int64_t kept = press<W>(rows, from, m, to, marks);
    int64_t known = kept;
    double P = rows.P, T = rows.T;
    for (; known > 0 && upper(to[known - 1]) >= distinct; --known) {
        double p = 0, t = 0;
        add<W>(rows, to[known - 1], p, t);
        P -= p, T -= t;
    }
    if (nominal) scan_categories<W>(rows, to, known, column, marks, best);
    else if (known > 1 && upper(to[0]) != upper(to[known - 1]))
        scan_numbers<W>(rows, to, known, P, T, column, marks, best);
    return kept;
}

HOT int64_t visit_counts(const Rows &rows, const uint64_t *from, int64_t m, uint64_t *to, uint32_t distinct,
                         bool nominal, int64_t column, std::vector<Mark> &marks, Offer &best) {
    return visit<false>(rows, from, m, to, distinct, nominal, column, marks, best);
}

HOT int64_t visit_weights(const Rows &rows, const uint64_t *from, int64_t m, uint64_t *to, uint32_t distinct,
                          bool nominal, int64_t column, std::vector<Mark> &marks, Offer &best) {
    return visit<true>(rows, from, m, to, distinct, nominal, column, marks, best);
}

// The largest rank of a column whose value is not above x, between ranks a and b.
int32_t rank_below(const double *values, uint32_t a, uint32_t b, double x) {
    return int32_t(std::upper_bound(values + a, values + b, x) - values) - 1;
}

// The middle of x < y, without the last digits that only rounding has made (0.075, not 0.07500000000000001).
double middle(double x, double y) {
    double cut = (x + y) / 2;
    if (!std::isfinite(cut)) cut = x / 2 + y / 2;  // x + y was too large a number
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", cut);
    const double plain = std::strtod(text, nullptr);
    if (plain >= x && plain < y) return plain;
    return cut >= x && cut < y ? cut : x;  // neighbouring numbers have no middle
}

struct Grown {
    std::vector<int32_t> column, kind, low, high;
    std::vector<double> cut, gain;
};

// The condition in ranks low..high, and the number that it compares with.
void append(Grown &rule, const Offer &best, const double *values, int32_t distinct, bool midpoint) {
    double cut = best.kind == BELOW ? values[best.a] : values[best.b];
    int32_t low = 0, high = distinct - 1;
    if (best.kind == EQUAL) low = high = int32_t(best.a);
    else if (midpoint) {
        const double x = values[best.a], y = values[best.b];
        cut = middle(x, y);
        const int32_t last = rank_below(values, best.a, best.b, cut);
        (best.kind == BELOW ? high : low) = best.kind == BELOW ? last : last + 1;
    } else {
        (best.kind == BELOW ? high : low) = int32_t(best.kind == BELOW ? best.a : best.b);
    }
    rule.column.push_back(int32_t(best.column)), rule.kind.push_back(best.kind);
    rule.low.push_back(low), rule.high.push_back(high), rule.cut.push_back(cut), rule.gain.push_back(best.gain);
}

// Rows that fail the last condition are put out; what is left is counted anew, so that no rounding adds up.
void cut_off(const Grown &rule, const uint64_t *key, int64_t m, uint8_t *state, Rows &rows) {
    const uint32_t low = uint32_t(rule.low.back()), high = uint32_t(rule.high.back());
    rows.P = rows.T = 0;
    for (int64_t i = 0; i < m; ++i) {
        const uint32_t rank = upper(key[i]), row = lower(key[i]);
        if (rank < low || rank > high) {
            state[row] = 0;
            continue;
        }
        const double one = rows.w ? rows.w[row] : 1.0;
        rows.T += one, rows.P += state[row] == 2 ? one : 0.0;
    }
}

// Rows below n, and ranks of the numbers that there are (or the one behind them: missing).
bool keys_within(const In2<uint64_t> &order, int64_t n, const In1<int64_t> &start) {
    const int64_t m = int64_t(order.shape(1));
    bool fits = true;
    for (int64_t j = 0; j < length(order); ++j) {
        const auto [rank, row] = most_of_halves(order.data() + j * m, m);
        fits &= (m == 0 || int64_t(row) < n) && int64_t(rank) <= start.data()[j + 1] - start.data()[j];
    }
    return fits;
}

nb::tuple grow(In2<uint64_t> order,  // in      (d, m)  presorted keys; rows whose state is not 1 or 2 are ignored
               InOut1<uint8_t> state_,  // in/out  (n,)    1 negative, 2 positive; left at the rows of the rule
               In1<double> w,  // in      (n,) weights or (0,)
               In1<double> logs,  // in      (at least m + 2,) log2 of 0, 1, ...
               In1<uint8_t> nominal,  // in      (d,)
               In1<int64_t> start,  // in      (d + 1,) where a column's distinct numbers begin in values
               In1<double> values,  // in      (v,)
               InOut1<uint64_t> scratch,  //         (at least d m,)
               double min_positive, int64_t max_conditions, double c, bool midpoint) {
    const int64_t d = int64_t(order.shape(0)), m = int64_t(order.shape(1)), n = int64_t(state_.shape(0));
    require(int64_t(nominal.shape(0)) == d && int64_t(start.shape(0)) == d + 1, "grow: columns");
    require((w.shape(0) == 0 || int64_t(w.shape(0)) == n) && int64_t(logs.shape(0)) >= m + 2 &&
                int64_t(scratch.shape(0)) >= d * m && shares_out(start, d, length(values)),
            "grow: shapes");
    require(keys_within(order, n, start), "grow: a row or a rank that is not there");
    Grown rule;
    {
        nb::gil_scoped_release unlocked;
        uint8_t *state = state_.data();
        Rows rows{state, w.shape(0) ? w.data() : nullptr, logs.data(), c, 0, 0, 0};
        uint64_t *keys = scratch.data();
        int64_t kept = m;
        std::vector<Mark> marks;
        const auto distinct = [&](int64_t j) { return uint32_t(start.data()[j + 1] - start.data()[j]); };
        for (int64_t i = 0; i < m && d > 0; ++i) {
            const uint32_t row = lower(order.data()[i]);
            if (uint8_t(state[row] - 1) >= 2) continue;
            const double one = rows.w ? rows.w[row] : 1.0;
            rows.T += one, rows.P += state[row] == 2 ? one : 0.0;
        }
        while (rows.P > 0 && rows.P < rows.T && int64_t(rule.column.size()) < max_conditions) {
            rows.base = rows.w ? log_ratio<true>(rows, rows.P, rows.T) : log_ratio<false>(rows, rows.P, rows.T);
            Offer best;
            int64_t left = kept;
            const bool first = rule.column.empty();
            for (int64_t j = 0; j < d; ++j) {
                uint64_t *mine = keys + j * m;
                left = (rows.w ? visit_weights : visit_counts)(rows, first ? order.data() + j * m : mine, kept, mine,
                                                               distinct(j), nominal.data()[j] != 0, j, marks, best);
            }
            kept = left;
            if (best.kind == NONE) break;
            append(rule, best, values.data() + start.data()[best.column], int32_t(distinct(best.column)), midpoint);
            cut_off(rule, keys + best.column * m, kept, state, rows);
            if (rows.P < min_positive) {  // it is left out again
                rule.column.pop_back(), rule.kind.pop_back(), rule.low.pop_back(), rule.high.pop_back();
                rule.cut.pop_back(), rule.gain.pop_back();
                break;
            }
        }
    }
    return nb::make_tuple(give(std::move(rule.column)), give(std::move(rule.kind)), give(std::move(rule.low)),
                          give(std::move(rule.high)), give(std::move(rule.cut)), give(std::move(rule.gain)));
}

// The keys of the rows to keep, of all columns: out (d, kept).
void narrow(In2<uint64_t> order, In1<uint8_t> keep, InOut2<uint64_t> out) {
    const int64_t d = int64_t(order.shape(0)), m = int64_t(order.shape(1)), kept = int64_t(out.shape(1));
    require(int64_t(out.shape(0)) == d, "narrow: shapes");
    require(d * m == 0 || int64_t(most_of_halves(order.data(), d * m).lower) < length(keep),
            "narrow: a row that is not there");
    bool fits = true;
    {
        nb::gil_scoped_release unlocked;
        for (int64_t j = 0; j < d; ++j) {
            const uint64_t *from = order.data() + j * m;
            uint64_t *to = out.data() + j * kept;
            int64_t at = 0;
            for (int64_t i = 0; i < m && at < kept; ++i) {
                to[at] = from[i];
                at += keep.data()[lower(from[i])] != 0;
            }
            fits &= at == kept;
        }
    }
    require(fits, "narrow: rows");
}

HOT void meet(const int32_t *ranks, const int64_t *rows, int64_t m, uint32_t low, uint32_t high, uint8_t *met) {
    for (int64_t i = 0; i < m; ++i) met[i] &= uint32_t(ranks[rows[i]]) - low <= high - low;  // low <= rank <= high
}

void require_conditions(int64_t d, const In1<int32_t> &column, const In1<int32_t> &low, const In1<int32_t> &high) {
    const int64_t k = int64_t(column.shape(0));
    require(int64_t(low.shape(0)) == k && int64_t(high.shape(0)) == k, "conditions: shapes");
    for (int64_t q = 0; q < k; ++q) require(column.data()[q] >= 0 && column.data()[q] < d, "conditions: column");
}

// met[i] = whether row rows[i] meets all conditions.
void covers(In2<int32_t> ranks,  // in   (d, n)
            In1<int64_t> rows,  // in   (m,)
            In1<int32_t> column,  // in   (k,)
            In1<int32_t> low,  // in   (k,) both ends are inside
            In1<int32_t> high,  // in   (k,)
            InOut1<uint8_t> met) {  // out  (m,)
    const auto R = view(ranks);
    const int64_t m = int64_t(rows.shape(0));
    require(int64_t(met.shape(0)) == m && within(rows, 0, R.cols()), "covers: shapes");
    require_conditions(R.rows(), column, low, high);
    nb::gil_scoped_release unlocked;
    std::fill(met.data(), met.data() + m, uint8_t(1));
    for (size_t q = 0; q < column.shape(0); ++q)
        meet(R.row(column.data()[q]), rows.data(), m, uint32_t(low.data()[q]), uint32_t(high.data()[q]), met.data());
}

// counts[c] = weight of the negative and of the positive rows among some that meet the first c conditions.
void prefix_counts(In2<int32_t> ranks,  // in   (d, n)
                   In1<int64_t> rows,  // in   (m,)
                   In1<int64_t> among,  // in   (h,)   places in rows
                   In1<uint8_t> positive,  // in   (m,)   0 or 1
                   In1<double> w,  // in   (m,) or (0,)
                   In1<int32_t> column,  // in   (k,)
                   In1<int32_t> low,  // in   (k,)
                   In1<int32_t> high,  // in   (k,)
                   InOut2<double> counts) {  // out  (k + 1, 2)
    const auto R = view(ranks);
    const auto out = view(counts);
    const int64_t h = int64_t(among.shape(0)), k = int64_t(column.shape(0)), m = int64_t(rows.shape(0));
    require(out.rows() == k + 1 && out.cols() == 2 && int64_t(positive.shape(0)) == m &&
                (w.shape(0) == 0 || int64_t(w.shape(0)) == m),
            "prefix_counts: shapes");
    require(within(among, 0, m) && within(rows, 0, R.cols()) && within(positive, 0, 2),
            "prefix_counts: rows that are not there");
    require_conditions(R.rows(), column, low, high);
    nb::gil_scoped_release unlocked;
    std::fill(out.data(), out.data() + 2 * (k + 1), 0.0);
    for (int64_t i = 0; i < h; ++i) {
        const int64_t at = among.data()[i], row = rows.data()[at];
        int64_t depth = 0;
        for (; depth < k; ++depth) {
            const int32_t rank = R.row(column.data()[depth])[row];
            if (rank < low.data()[depth] || rank > high.data()[depth]) break;
        }
        out.row(depth)[positive.data()[at]] += w.shape(0) ? w.data()[at] : 1.0;
    }
    for (int64_t c = k; c-- > 0;)
        for (int side = 0; side < 2; ++side)
            out.row(c)[side] += out.row(c + 1)[side];  // whoever meets more meets these
}

uint64_t mixed(uint64_t z) {  // splitmix64
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Draws a share of the positives and of the negatives: each row with probability needed / still to see, so that the
// numbers are exact and one pass is enough. state of a row that is not held out becomes 1 or 2.
void hold_out(In1<int64_t> rows,  // in      (m,)
              In1<uint8_t> positive,  // in      (m,) 0 or 1
              int64_t negatives, int64_t positives,  // how many of each to hold out
              uint64_t seed,
              InOut1<uint8_t> state,  // in/out  (n,)
              InOut1<uint8_t> held) {  // out     (m,)
    const int64_t m = int64_t(rows.shape(0));
    require(int64_t(positive.shape(0)) == m && int64_t(held.shape(0)) == m, "hold_out: shapes");
    require(within(rows, 0, length(state)), "hold_out: a row that is not there");
    nb::gil_scoped_release unlocked;
    int64_t seen[2] = {0, 0}, needed[2] = {negatives, positives};
    for (int64_t i = 0; i < m; ++i) ++seen[positive.data()[i] != 0];
    for (int64_t i = 0; i < m; ++i) {
        const int k = positive.data()[i] != 0;
        const double u = double(mixed(seed + uint64_t(i)) >> 11) * 0x1p-53;
        const bool out = u * double(seen[k]--) < double(needed[k]);
        needed[k] -= out;
        held.data()[i] = out;
        state.data()[rows.data()[i]] = out ? 0 : uint8_t(1 + k);
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "grow", &grow, "order", "state", "w", "logs", "nominal", "start", "values", "scratch", "min_positive",
           "max_conditions", "c", "midpoint");
    define(m, "narrow", &narrow, "order", "keep", "out");
    define(m, "covers", &covers, "ranks", "rows", "column", "low", "high", "met");
    define(m, "prefix_counts", &prefix_counts, "ranks", "rows", "among", "positive", "w", "column", "low", "high",
           "counts");
    define(m, "hold_out", &hold_out, "rows", "positive", "negatives", "positives", "seed", "state", "held");
}
