// Families of nodes in rows of codes: the scores of one variable's states, counts, counts of pairs of columns.
//
//     score(k) = sum over the families that hold variable v of log P(child | parents), v in state k
//
// Twins in NumPy: tests/graphs/test_families.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/bit_counts.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

// (n, r) the scores of the states of one variable, the others as in each row.
HOT void score_rows(const int64_t *rows, int64_t n, int64_t V, const int64_t *base, const int64_t *step,
                    const int64_t *vars, const int64_t *stride, int64_t families, const int64_t *begin,
                    const double *logs, int64_t r, double *out) {
    for (int64_t t = 0; t < n; ++t) {
        const int64_t *row = rows + t * V;
        double *score = out + t * r;
        for (int64_t k = 0; k < r; ++k) score[k] = 0.0;
        for (int64_t f = 0; f < families; ++f) {
            int64_t at = base[f];
            for (int64_t i = begin[f]; i < begin[f + 1]; ++i) at += row[vars[i]] * stride[i];
            for (int64_t k = 0; k < r; ++k) score[k] += logs[at + k * step[f]];
        }
    }
}

void blanket_scores(In2<int64_t> rows, In1<int64_t> cards, In1<int64_t> begin, In1<int64_t> vars, In1<double> logs,
                    int64_t variable, InOut2<double> out) {
    const int64_t V = length(cards), F = length(begin) - 1, n = length(rows);
    require(F >= 0 && shares_out(begin, F, length(vars), true) && within(vars, 0, V), "blanket_scores: families");
    require(int64_t(rows.shape(1)) == V && length(out) == n, "blanket_scores: a code for each variable");
    require(within(cards, 1, int64_t(1) << 31) && variable >= 0 && variable < V, "blanket_scores: states");
    require(int64_t(out.shape(1)) == cards.data()[variable], "blanket_scores: room for each state");
    std::vector<int64_t> base(F), step(F, 0), stride(length(vars));
    int64_t total = 0;
    for (int64_t f = 0; f < F; ++f) {
        int64_t size = 1;
        base[f] = total;
        for (int64_t i = begin.data()[f + 1] - 1; i >= begin.data()[f]; --i) {
            const bool asked = vars.data()[i] == variable;
            stride[i] = asked ? 0 : size;
            if (asked) require(step[f] == 0, "blanket_scores: a variable twice"), step[f] = size;
            size = sized(size, cards.data()[vars.data()[i]], "blanket_scores: a table is too large");
        }
        total += size;
        require(total <= length(logs), "blanket_scores: entries of each family");
    }
    require(total == length(logs), "blanket_scores: entries of each family");
    for (int64_t t = 0; t < n; ++t)
        for (int64_t v = 0; v < V; ++v) {
            const int64_t code = rows.data()[t * V + v];
            require(v == variable || (code >= 0 && code < cards.data()[v]), "blanket_scores: rows must be complete");
        }
    nb::gil_scoped_release unlocked;
    score_rows(rows.data(), n, V, base.data(), step.data(), vars.data(), stride.data(), F, begin.data(), logs.data(),
               cards.data()[variable], out.data());
}

// ------------------------------------------------------------------ counts

// Adds the weight of each row to its cell of each family; a family with a missing value (-1) gets nothing.
HOT void count_rows(const int64_t *rows, const double *w, int64_t n, int64_t V, int64_t families, const int64_t *base,
                    const int64_t *begin, const int64_t *vars, const int64_t *stride, double *out) {
    for (int64_t t = 0; t < n; ++t) {
        const int64_t *row = rows + t * V;
        for (int64_t f = 0; f < families; ++f) {
            int64_t at = base[f], missing = 0;
            for (int64_t i = begin[f]; i < begin[f + 1]; ++i) {
                const int64_t code = row[vars[i]];
                missing |= code;
                at += code * stride[i];
            }
            if (missing >= 0) out[at] += w[t];
        }
    }
}

void count_families(In2<int64_t> rows, In1<double> w, In1<int64_t> cards, In1<int64_t> begin, In1<int64_t> vars,
                    InOut1<double> out) {
    const int64_t V = length(cards), F = length(begin) - 1, n = length(rows);
    require(F >= 0 && shares_out(begin, F, length(vars), true) && within(vars, 0, V), "count_families: families");
    require(int64_t(rows.shape(1)) == V && length(w) == n, "count_families: a code for each variable, a weight each");
    require(within(cards, 1, int64_t(1) << 31), "count_families: states");
    std::vector<int64_t> base(F), stride(length(vars));
    int64_t total = 0;
    for (int64_t f = 0; f < F; ++f) {
        int64_t size = 1;
        base[f] = total;
        for (int64_t i = begin.data()[f + 1] - 1; i >= begin.data()[f]; --i) {
            stride[i] = size;
            size = sized(size, cards.data()[vars.data()[i]], "count_families: a table is too large");
        }
        total += size;
        require(total <= length(out), "count_families: room for all cells");
    }
    require(total == length(out), "count_families: room for all cells");
    for (int64_t t = 0; t < n; ++t)
        for (int64_t v = 0; v < V; ++v) {
            const int64_t code = rows.data()[t * V + v];
            require(code >= -1 && code < cards.data()[v], "count_families: a code that its variable lacks");
        }
    nb::gil_scoped_release unlocked;
    count_rows(rows.data(), w.data(), n, V, F, base.data(), begin.data(), vars.data(), stride.data(), out.data());
}

constexpr int64_t TILE_WORDS = 256;  // of the sets of rows that are in work at once
constexpr int64_t FEW_CELLS = 64;  // pairs of columns with more cells are counted row by row

INLINE int64_t common(const uint64_t *a, const uint64_t *b, int64_t words) {
    int64_t both = 0;
    for (int64_t i = 0; i < words; ++i) both += __builtin_popcountll(a[i] & b[i]);
    return both;
}
HOT int64_t common_by_words(const uint64_t *a, const uint64_t *b, int64_t words) { return common(a, b, words); }
COUNTS_BITS int64_t common_by_eight(const uint64_t *a, const uint64_t *b, int64_t words) { return common(a, b, words); }

// Adds to (S, S) cells how many of m rows have state a of one column and state b of another, the upper half; a set of
// rows for each state, a bit for each row.
HOT void count_pairs(const int64_t *codes, const int64_t *rows, int64_t m, int64_t d, const int64_t *start,
                     uint64_t *sets, double *cells) {
    const int64_t S = start[d], words = (m + 63) / 64;
    const auto both = has_bit_counts() ? &common_by_eight : &common_by_words;
    std::fill(sets, sets + S * words, uint64_t(0));
    for (int64_t i = 0; i < m; ++i) {
        const int64_t *row = codes + rows[i] * d;
        for (int64_t j = 0; j < d; ++j)
            if (row[j] >= 0) sets[(start[j] + row[j]) * words + i / 64] |= uint64_t(1) << (i % 64);
    }
    for (int64_t j = 0; j < d; ++j)
        for (int64_t a = start[j]; a < start[j + 1]; ++a)
            cells[a * S + a] += double(both(sets + a * words, sets + a * words, words));
    for (int64_t j = 0; j < d; ++j)
        for (int64_t l = j + 1; l < d; ++l) {
            if ((start[j + 1] - start[j]) * (start[l + 1] - start[l]) <= FEW_CELLS) {
                for (int64_t a = start[j]; a < start[j + 1]; ++a)
                    for (int64_t b = start[l]; b < start[l + 1]; ++b)
                        cells[a * S + b] += double(both(sets + a * words, sets + b * words, words));
                continue;
            }
            for (int64_t i = 0; i < m; ++i) {
                const int64_t a = codes[rows[i] * d + j], b = codes[rows[i] * d + l];
                if (a >= 0 && b >= 0) cells[(start[j] + a) * S + start[l] + b] += 1.0;
            }
        }
}

void pair_cells(In2<int64_t> codes, In1<int64_t> y, In1<int64_t> start, int64_t K, InOut2<double> cells) {
    const int64_t n = length(codes), d = int64_t(codes.shape(1)), S = int64_t(cells.shape(1));
    require(d >= 0 && shares_out(start, d, S, true), "pair_cells: states of each column");
    require(K >= 0 && length(cells) == sized(K, S, "pair_cells"), "pair_cells: a table for each class");
    require(length(y) == n && within(y, 0, K), "pair_cells: a class for each row");
    for (int64_t t = 0; t < n; ++t)
        for (int64_t j = 0; j < d; ++j) {
            const int64_t code = codes.data()[t * d + j];
            require(code >= -1 && code < start.data()[j + 1] - start.data()[j], "pair_cells: a code too large");
        }
    nb::gil_scoped_release unlocked;
    std::vector<std::vector<int64_t>> rows(K);
    for (int64_t t = 0; t < n; ++t) rows[y.data()[t]].push_back(t);
    std::vector<uint64_t> sets(S * std::min(TILE_WORDS, n / 64 + 1));
    for (int64_t k = 0; k < K; ++k) {
        double *table = cells.data() + k * S * S;
        const int64_t size = int64_t(rows[k].size());
        for (int64_t from = 0; from < size; from += 64 * TILE_WORDS)
            count_pairs(codes.data(), rows[k].data() + from, std::min(64 * TILE_WORDS, size - from), d, start.data(),
                        sets.data(), table);
        for (int64_t a = 0; a < S; ++a)
            for (int64_t b = a + 1; b < S; ++b) table[b * S + a] = table[a * S + b];
    }
}

// ------------------------------------------------------------------ averages of one-dependence networks

// The logarithm of the mean over parents j of P(k, x_j) prod_i P(x_i | k, x_j), for each row and class k; the parents
// are the values that may be; without one, the product of prior and P(x_i | k). A code of -1 is neither parent nor
// child.
HOT void one_dependence_rows(const int64_t *codes, int64_t n, int64_t d, int64_t K, const int64_t *start,
                             const double *parents, const double *children, const double *singles,
                             const uint8_t *usable, const double *prior, double *terms, int64_t *places, double *out) {
    const int64_t S = start[d];
    for (int64_t t = 0; t < n; ++t) {
        int64_t m = 0, used = 0;
        for (int64_t j = 0; j < d; ++j)
            if (codes[t * d + j] >= 0) places[m++] = start[j] + codes[t * d + j];
        for (int64_t a = 0; a < m; ++a) {
            if (!usable[places[a]]) continue;
            const double *table = children + places[a] * S * K;
            double *term = terms + used++ * K;
            for (int64_t k = 0; k < K; ++k) term[k] = parents[places[a] * K + k];
            for (int64_t b = 0; b < m; ++b) {
                if (b == a) continue;
                const double *log = table + places[b] * K;
                for (int64_t k = 0; k < K; ++k) term[k] += log[k];
            }
        }
        double *answer = out + t * K;
        if (!used) {
            for (int64_t k = 0; k < K; ++k) answer[k] = prior[k];
            for (int64_t a = 0; a < m; ++a)
                for (int64_t k = 0; k < K; ++k) answer[k] += singles[places[a] * K + k];
            continue;
        }
        for (int64_t k = 0; k < K; ++k) {
            double top = -INFINITY, sum = 0.0;
            for (int64_t a = 0; a < used; ++a) top = std::max(top, terms[a * K + k]);
            if (top > -INFINITY)
                for (int64_t a = 0; a < used; ++a) sum += std::exp(terms[a * K + k] - top);
            answer[k] = top > -INFINITY ? top + std::log(sum / double(used)) : -INFINITY;
        }
    }
}

void one_dependence(In2<int64_t> codes, In1<int64_t> start, In2<double> parents, In2<double> children,
                    In2<double> singles, In1<uint8_t> usable, In1<double> prior, InOut2<double> out) {
    const int64_t n = length(codes), d = int64_t(codes.shape(1)), K = length(prior);
    require(d >= 0 && shares_out(start, d, length(parents), true) && K > 0, "one_dependence: states of each column");
    const int64_t S = length(parents);
    require(int64_t(parents.shape(1)) == K && length(singles) == S && int64_t(singles.shape(1)) == K &&
                length(usable) == S && length(children) == S &&
                int64_t(children.shape(1)) == sized(S, K, "one_dependence"),
            "one_dependence: tables of all states");
    require(length(out) == n && int64_t(out.shape(1)) == K, "one_dependence: room for each class");
    for (int64_t t = 0; t < n; ++t)
        for (int64_t j = 0; j < d; ++j) {
            const int64_t code = codes.data()[t * d + j];
            require(code >= -1 && code < start.data()[j + 1] - start.data()[j], "one_dependence: a code too large");
        }
    nb::gil_scoped_release unlocked;
    std::vector<double> terms(d * K + 1);
    std::vector<int64_t> places(d + 1);
    one_dependence_rows(codes.data(), n, d, K, start.data(), parents.data(), children.data(), singles.data(),
                        usable.data(), prior.data(), terms.data(), places.data(), out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "blanket_scores", &blanket_scores, "rows", "cards", "begin", "vars", "logs", "variable", "out");
    define(m, "count_families", &count_families, "rows", "w", "cards", "begin", "vars", "out");
    define(m, "pair_cells", &pair_cells, "codes", "y", "start", "K", "cells");
    define(m, "one_dependence", &one_dependence, "codes", "start", "parents", "children", "singles", "usable", "prior",
           "out");
}
