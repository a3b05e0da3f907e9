// Families of nodes in complete rows of codes: the scores of one variable's states, and counts of a child with parents.
//
//     score(k) = sum over the families that hold variable v of log P(child | parents), v in state k
//
// Twins in NumPy: tests/graphs/test_families.py.
#include <algorithm>
#include <cmath>
#include <vector>

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

// The score of a child with parents, from counts c of its cells and totals t of the parents' configurations:
//
//     sum of cell[c] - sum of total[t]        (log likelihood: both are c log c; BDeu: differences of log gammas)
//
// for the parents that stay, by their code, and each of some candidates as one more parent.
struct Family {
    std::vector<uint32_t> cell;  // (n,) configuration times states, plus the state of the child
    int64_t n, rx, q;
};

HOT void count(const uint32_t *cell, const uint8_t *z, int64_t n, int64_t cells, int64_t rz, int32_t *counts) {
    const int64_t all = cells * rz;
    int32_t *first = counts, *second = counts + all, *third = counts + 2 * all, *fourth = counts + 3 * all;
    for (int64_t i = 0; i < 4 * all; ++i) counts[i] = 0;
    const uint32_t step = uint32_t(cells);
    int64_t i = 0;
    for (; i + 3 < n; i += 4) {  // four tables, so that equal neighbours do not wait for each other
        ++first[z[i] * step + cell[i]];
        ++second[z[i + 1] * step + cell[i + 1]];
        ++third[z[i + 2] * step + cell[i + 2]];
        ++fourth[z[i + 3] * step + cell[i + 3]];
    }
    for (; i < n; ++i) ++first[z[i] * step + cell[i]];
    for (i = 0; i < all; ++i) first[i] += second[i] + third[i] + fourth[i];
}

double score_of(const Family &f, int64_t rz, const int32_t *counts, const double *cell, const double *total) {
    double sum = 0.0;
    for (int64_t j = 0; j < f.q * rz; ++j) {
        int32_t all = 0;
        for (int64_t k = 0; k < f.rx; ++k) {
            const int32_t c = counts[j * f.rx + k];
            all += c;
            sum += cell[c];
        }
        sum -= total[all];
    }
    return sum;
}

// (m,) the scores of a child given the parents that stay and each candidate column (-1: no candidate).
void family_scores(In2<uint8_t> columns, In1<int64_t> cards, int64_t child, In1<uint16_t> code, int64_t configurations,
                   In1<int64_t> candidates, In1<double> cell, In1<double> total, InOut1<double> out) {
    const int64_t d = length(columns), n = int64_t(columns.shape(1));
    require(length(cards) == d && within(cards, 1, 257), "family_scores: states of each column");
    require(child >= 0 && child < d && length(code) == n && configurations > 0, "family_scores: a child and parents");
    require(within(candidates, -1, d) && length(out) == length(candidates), "family_scores: candidates");
    require(length(cell) == n + 1 && length(total) == n + 1 && n < (int64_t(1) << 31),
            "family_scores: values of counts");
    require(within(code, 0, configurations), "family_scores: codes of the parents");
    int64_t widest = 1;
    for (int64_t j = 0; j < length(candidates); ++j)
        if (candidates.data()[j] >= 0) widest = std::max(widest, cards.data()[candidates.data()[j]]);
    const int64_t cells = sized(sized(configurations, widest, "family_scores: too many cells"), cards.data()[child],
                                "family_scores: too many cells");
    require(cells <= (int64_t(1) << 31), "family_scores: too many cells");
    for (int64_t k = -1; k < length(candidates); ++k) {
        const int64_t j = k < 0 ? child : candidates.data()[k];
        if (j >= 0)
            require(within(columns.data() + j * n, n, 0, cards.data()[j]), "family_scores: a code its column lacks");
    }
    nb::gil_scoped_release unlocked;
    std::vector<int32_t> counts(4 * cells);
    const std::vector<uint8_t> nothing(n, 0);
    Family family{std::vector<uint32_t>(n), n, cards.data()[child], configurations};
    for (int64_t i = 0; i < n; ++i)
        family.cell[i] = uint32_t(code.data()[i] * family.rx + columns.data()[child * n + i]);
    for (int64_t j = 0; j < length(candidates); ++j) {
        const int64_t z = candidates.data()[j], rz = z < 0 ? 1 : cards.data()[z];
        count(family.cell.data(), z < 0 ? nothing.data() : columns.data() + z * n, n, configurations * family.rx, rz,
              counts.data());
        out.data()[j] = score_of(family, rz, counts.data(), cell.data(), total.data());
    }
}

// The codes of parents: a configuration number for each row, one column joined after the other.
void join_code(InOut1<uint16_t> code, In1<uint8_t> column, int64_t card, int64_t configurations) {
    require(length(code) == length(column) && card > 0 && configurations > 0, "join_code: a code for each row");
    require(card * configurations <= 65536 && within(column, 0, card), "join_code: configurations");
    for (int64_t i = 0; i < length(code); ++i) {
        require(code.data()[i] < configurations, "join_code: configurations");
        code.data()[i] = uint16_t(code.data()[i] * card + column.data()[i]);
    }
}

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
    define(m, "family_scores", &family_scores, "columns", "cards", "child", "code", "configurations", "candidates",
           "cell", "total", "out");
    define(m, "one_dependence", &one_dependence, "codes", "start", "parents", "children", "singles", "usable", "prior",
           "out");
    define(m, "join_code", &join_code, "code", "column", "card", "configurations");
}
