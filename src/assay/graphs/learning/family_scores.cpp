// Scores of a child with parents, by counting rows.
//
// Twin in NumPy: tests/graphs/test_learning.py, scores from weights of 1.
#include <algorithm>
#include <vector>

#include "assay/bit_counts.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t WORD = 64;

// StateColumns of states, twice: rows of codes, and for each state of each column the set of its rows, a bit for each
// row.
struct StateColumns {
    In2<uint8_t> rows;  // (n, d)
    In1<int64_t> begin;  // (d + 1,) where the states of each column begin
    In2<uint64_t> sets;  // (S, words) the sets of the first column's states, then those of the second ...

    int64_t n() const { return length(rows); }
    int64_t d() const { return int64_t(rows.shape(1)); }
    int64_t words() const { return int64_t(sets.shape(1)); }
    int64_t states(int64_t column) const { return begin.data()[column + 1] - begin.data()[column]; }
    const uint64_t *set(int64_t column) const { return sets.data() + begin.data()[column] * words(); }
    void check() const {
        require(shares_out(begin, d(), length(sets), true) && words() == (n() + WORD - 1) / WORD &&
                    n() < (int64_t(1) << 31),
                "StateColumns: a set for each state");
        for (int64_t j = 0; j < d(); ++j) require(states(j) <= 256, "StateColumns: too many states");
        for (int64_t i = 0; i < n(); ++i)
            for (int64_t j = 0; j < d(); ++j) {
                const int64_t code = rows.data()[i * d() + j];
                require(code < states(j), "StateColumns: a code that its column lacks");
                require(set(j)[code * words() + i / WORD] >> (i % WORD) & 1, "StateColumns: a row that its set lacks");
            }
        int64_t members = 0;  // each row is in its own set of each column, as was just seen
        for (int64_t i = 0; i < int64_t(sets.size()); ++i) members += __builtin_popcountll(sets.data()[i]);
        require(members == n() * d(), "StateColumns: a row in two sets");
    }
};

// The sets of the states of a table.
void state_sets(In2<uint8_t> rows, In1<int64_t> begin, InOut2<uint64_t> sets) {
    const int64_t n = length(rows), d = int64_t(rows.shape(1)), words = int64_t(sets.shape(1));
    require(shares_out(begin, d, length(sets), true) && words == (n + WORD - 1) / WORD, "state_sets: room for all");
    std::fill(sets.data(), sets.data() + sets.size(), uint64_t(0));
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < d; ++j) {
            const int64_t state = begin.data()[j] + rows.data()[i * d + j];
            require(state < begin.data()[j + 1], "state_sets: a code that its column lacks");
            sets.data()[state * words + i / WORD] |= uint64_t(1) << (i % WORD);
        }
}

// ------------------------------------------------------------------ counting bits

// to = a and b; how many rows are left.
INLINE int64_t meet(const uint64_t *a, const uint64_t *b, uint64_t *to, int64_t words) {
    int64_t size = 0;
    for (int64_t i = 0; i < words; ++i) {
        to[i] = a[i] & b[i];
        size += __builtin_popcountll(to[i]);
    }
    return size;
}
// How many rows of a set of `size` rows are in each of m sets that share out all rows.
INLINE void count(const uint64_t *set, const uint64_t *others, int64_t words, int64_t m, int64_t size,
                  int32_t *counts) {
    int64_t left = size;
    for (int64_t k = 0; k + 1 < m; ++k) {
        int64_t both = 0;
        for (int64_t i = 0; i < words; ++i) both += __builtin_popcountll(set[i] & others[k * words + i]);
        counts[k] = int32_t(both);
        left -= both;
    }
    counts[m - 1] = int32_t(left);
}
HOT int64_t meet_by_words(const uint64_t *a, const uint64_t *b, uint64_t *to, int64_t words) {
    return meet(a, b, to, words);
}
COUNTS_BITS int64_t meet_by_eight(const uint64_t *a, const uint64_t *b, uint64_t *to, int64_t words) {
    return meet(a, b, to, words);
}
HOT void count_by_words(const uint64_t *set, const uint64_t *others, int64_t words, int64_t m, int64_t size,
                        int32_t *counts) {
    count(set, others, words, m, size, counts);
}
COUNTS_BITS void count_by_eight(const uint64_t *set, const uint64_t *others, int64_t words, int64_t m, int64_t size,
                                int32_t *counts) {
    count(set, others, words, m, size, counts);
}

// What counts are worth, added up place by place; then they are zero again. The first entry of a table of values is 0.
HOT void add_values(int32_t *counts, int32_t *totals, const double *value, double *sums, int64_t m) {
    for (int64_t i = 0; i < m; ++i) {
        sums[i] += value[counts[i]];
        totals[i] += counts[i];
        counts[i] = 0;
    }
}
HOT void subtract_values(int32_t *totals, const double *value, double *sums, int64_t m) {
    for (int64_t i = 0; i < m; ++i) {
        sums[i] -= value[totals[i]];
        totals[i] = 0;
    }
}

// ------------------------------------------------------------------ families

// The score of a child with parents, from counts c of its cells and totals t of the parents' configurations:
//
//     sum of cell[c] - sum of total[t]        (log likelihood: both are c log c; BDeu: differences of log gammas)
//
// for the parents that stay, and each of some candidates (-1: none) as one more parent. The rows are split by one
// parent after the other, then by the child, as sets of bits; few rows go on as a list. Configurations without rows are
// never met, so that no table is made.
class Families {
    const StateColumns &columns;
    const int64_t *parents, depth, child, *candidates, many;
    const double *cell, *total;
    double *out;
    const int64_t words;
    int64_t few;  // below so many rows a list is counted faster than a set
    std::vector<int64_t> widths, places;  // states of each candidate, and its first place among the counts
    std::vector<int64_t> alone;  // the candidates that are none
    std::vector<int32_t> counts, totals;  // of a cell and of a configuration, for each state of each candidate
    std::vector<double> sums;  // of values, for each state of each candidate
    std::vector<uint64_t> sets;  // (depth + 2, words)
    std::vector<int32_t> lists;  // (depth + 2, few)
    decltype(&meet_by_words) meet;
    decltype(&count_by_words) count;

    int64_t column(int64_t level) const { return level < depth ? parents[level] : child; }

    void add_cell(int64_t size) {
        for (int64_t j : alone) counts[places[j]] = int32_t(size);
        add_values(counts.data(), totals.data(), cell, sums.data(), int64_t(counts.size()));
    }
    void add_configuration() { subtract_values(totals.data(), total, sums.data(), int64_t(totals.size())); }
    void count_list(const int32_t *list, int64_t size) {
        for (int64_t i = 0; i < size; ++i) {
            const uint8_t *row = columns.rows.data() + int64_t(list[i]) * columns.d();
            for (int64_t j = 0; j < many; ++j)
                if (candidates[j] >= 0) ++counts[places[j] + row[candidates[j]]];
        }
        add_cell(size);
    }
    // A configuration of one row: whatever the candidates say, one cell of one row.
    void add_single() {
        for (int64_t j = 0; j < many; ++j) sums[places[j]] += cell[1] - total[1];
    }
    void count_set(const uint64_t *set, int64_t size) {
        for (int64_t j = 0; j < many; ++j)
            if (candidates[j] >= 0)
                count(set, columns.set(candidates[j]), words, widths[j], size, counts.data() + places[j]);
        add_cell(size);
    }
    int32_t *listed(const uint64_t *set, int64_t level) {
        int32_t *list = lists.data() + level * few, *end = list;
        for (int64_t i = 0; i < words; ++i)
            for (uint64_t left = set[i]; left; left &= left - 1) *end++ = int32_t(WORD * i + __builtin_ctzll(left));
        return list;
    }
    void walk_list(const int32_t *list, int64_t size, int64_t level) {
        if (size == 1) return add_single();
        const int64_t d = columns.d(), r = columns.states(column(level));
        const uint8_t *codes = columns.rows.data() + column(level);
        int32_t first[257] = {0}, at[256];
        for (int64_t i = 0; i < size; ++i) ++first[codes[list[i] * d] + 1];
        for (int64_t k = 0; k < r; ++k) at[k] = first[k], first[k + 1] += first[k];
        int32_t *sorted = lists.data() + (level + 1) * few;
        for (int64_t i = 0; i < size; ++i) sorted[at[codes[list[i] * d]]++] = list[i];
        for (int64_t k = 0; k < r; ++k) {
            const int64_t part = first[k + 1] - first[k];
            if (part > 0) go_on(sorted + first[k], part, level);
        }
        if (level == depth) add_configuration();
    }
    void go_on(const int32_t *list, int64_t size, int64_t level) {
        if (level < depth) walk_list(list, size, level + 1);
        else count_list(list, size);
    }
    void walk_set(const uint64_t *set, int64_t level) {
        uint64_t *part = sets.data() + (level + 1) * words;
        for (int64_t k = 0; k < columns.states(column(level)); ++k) {
            const int64_t size = meet(set, columns.set(column(level)) + k * words, part, words);
            if (size == 0) continue;
            if (size < few) go_on(listed(part, level + 1), size, level);
            else if (level < depth) walk_set(part, level + 1);
            else count_set(part, size);
        }
        if (level == depth) add_configuration();
    }

  public:
    Families(const StateColumns &columns, const In1<int64_t> &parents, int64_t child, const In1<int64_t> &candidates,
             const In1<double> &cell, const In1<double> &total, InOut1<double> &out)
        : columns(columns), parents(parents.data()), depth(length(parents)), child(child),
          candidates(candidates.data()), many(length(candidates)), cell(cell.data()), total(total.data()),
          out(out.data()), words(columns.words()) {
        int64_t places_used = 0;
        for (int64_t j = 0; j < many; ++j) {
            if (candidates.data()[j] < 0) alone.push_back(j);
            widths.push_back(candidates.data()[j] < 0 ? 1 : columns.states(candidates.data()[j]));
            places.push_back(places_used);
            places_used += widths.back();
        }
        const bool by_eight = has_bit_counts();
        meet = by_eight ? meet_by_eight : meet_by_words;
        count = by_eight ? count_by_eight : count_by_words;
        few = 8 + words * std::max<int64_t>(places_used - many, 1) / (std::max<int64_t>(many, 1) * (by_eight ? 10 : 2));
        counts.assign(places_used, 0), totals.assign(places_used, 0), sums.assign(places_used, 0.0);
        sets.resize((depth + 2) * words), lists.resize((depth + 2) * few);
    }
    void run() {
        std::fill(out, out + many, 0.0);
        if (words == 0) return;
        std::fill(sets.begin(), sets.begin() + words, ~uint64_t(0));
        walk_set(sets.data(), 0);
        for (int64_t j = 0; j < many; ++j)
            for (int64_t k = 0; k < widths[j]; ++k) out[j] += sums[places[j] + k];
    }
};

void family_scores(const StateColumns &columns, int64_t child, In1<int64_t> parents,
                   In1<int64_t> candidates,  // in   (m,) -1: none
                   In1<double> cell,  // in   (n + 1,)
                   In1<double> total,  // in   (n + 1,)
                   InOut1<double> out) {  // out  (m,)
    const int64_t d = columns.d(), n = columns.n();
    require(child >= 0 && child < d && within(parents, 0, d) && length(parents) <= d,
            "family_scores: a child, parents");
    require(within(candidates, -1, d) && length(out) == length(candidates), "family_scores: candidates");
    require(length(cell) == n + 1 && length(total) == n + 1 && cell.data()[0] == 0.0 && total.data()[0] == 0.0,
            "family_scores: values of counts");
    nb::gil_scoped_release unlocked;
    Families(columns, parents, child, candidates, cell, total, out).run();
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<StateColumns>(m, "StateColumns", field("rows", &StateColumns::rows), field("begin", &StateColumns::begin),
                         field("sets", &StateColumns::sets));
    define(m, "state_sets", &state_sets, "rows", "begin", "sets");
    define(m, "family_scores", &family_scores, "columns", "child", "parents", "candidates", "cell", "total", "out");
}
