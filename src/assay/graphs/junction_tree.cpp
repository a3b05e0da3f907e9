// Belief propagation in a junction tree, for one row of evidence after another.
//
// Cliques are numbered such that a parent comes before its children. The variables of a clique begin with those that it
// shares with its parent (its separator, in the order of the parent), so that the message to the parent
//
//     m(s) = sum over the other variables of phi(s, r)        (the largest instead of the sum: max-product)
//
// adds up stretches of memory, and the message back multiplies stretches. An observed variable has a single state left:
// tables are sliced before anything is multiplied. Each message is divided by its sum; the logarithms of these sums are
// the logarithm of the probability of the evidence. A clique into which so much is multiplied that its entries could
// leave the range of numbers is divided by its largest entry first, of which the logarithm is kept, too.
//
// Twin in NumPy: tests/graphs/test_junction_tree.py, by_enumeration.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t MOST_ENTRIES = int64_t(1) << 40;
constexpr double TINY = 1e-200;  // a product of scales below this goes into the logarithm
constexpr double NARROW = 1e-100;  // a scale beyond this goes there by itself
constexpr double LEAST = 1e-250;  // entries of a clique stay above this, and below its reciprocal

struct Tree {
    In1<int64_t> cards;  // (V,)      states of each variable
    In1<int64_t> clique_begin;  // (C + 1,)
    In1<int64_t> clique_vars;  // variables of each clique, separator first
    In1<int64_t> parent;  // (C,)      parent clique; -1 for the first
    In1<int64_t> shared;  // (C,)      how many variables make up the separator
    In1<int64_t> factor_begin;  // (F + 1,)
    In1<int64_t> factor_vars;  // variables of each factor, the last runs quickest
    In1<int64_t> factor_home;  // (F,)      clique that holds the factor
    In1<int64_t> table_begin;  // (F + 1,)  where the entries of each factor begin
    In1<int64_t> home;  // (V,)      clique from which the marginal of each variable is read; -1 for none

    int64_t variables() const { return length(cards); }
    int64_t cliques() const { return length(parent); }
    int64_t factors() const { return length(factor_home); }
    int64_t state_count() const {
        int64_t sum = 0;
        for (int64_t v = 0; v < variables(); ++v) sum += cards.data()[v];
        return sum;
    }
    bool holds(int64_t clique, int64_t v) const {
        const int64_t *a = clique_vars.data();
        return std::find(a + clique_begin.data()[clique], a + clique_begin.data()[clique + 1], v) !=
               a + clique_begin.data()[clique + 1];
    }
    void check() const {
        const int64_t V = variables(), C = cliques(), F = factors();
        require(C > 0 && shares_out(clique_begin, C, length(clique_vars), true), "Tree: variables of each clique");
        require(within(clique_vars, 0, V) && within(cards, 1, int64_t(1) << 31), "Tree: variables and their states");
        require(length(shared) == C && length(home) == V && within(home, -1, C), "Tree: separators and homes");
        require(shares_out(factor_begin, F, length(factor_vars), true) && within(factor_vars, 0, V),
                "Tree: variables of each factor");
        require(within(factor_home, 0, C) && length(table_begin) == F + 1 && table_begin.data()[0] == 0,
                "Tree: homes of factors");
        for (int64_t c = 0; c < C; ++c) {
            const int64_t p = parent.data()[c], begin = clique_begin.data()[c], end = clique_begin.data()[c + 1];
            require(c == 0 ? p == -1 : p >= 0 && p < c, "Tree: a parent comes before its children");
            require(shared.data()[c] >= 0 && shared.data()[c] <= end - begin, "Tree: a separator is part of a clique");
            require(c > 0 || shared.data()[c] == 0, "Tree: the first clique has no separator");
            int64_t size = 1;
            for (int64_t i = begin; i < end; ++i) {
                const int64_t v = clique_vars.data()[i];
                size = sized(size, cards.data()[v], "Tree: a clique has too many entries");
                require(size <= MOST_ENTRIES, "Tree: a clique has too many entries");
                require(std::find(clique_vars.data() + begin, clique_vars.data() + i, v) == clique_vars.data() + i,
                        "Tree: a variable twice in a clique");
                require(i - begin >= shared.data()[c] || holds(p, v), "Tree: a separator is part of the parent");
            }
        }
        for (int64_t f = 0; f < F; ++f) {
            int64_t size = 1;
            for (int64_t i = factor_begin.data()[f]; i < factor_begin.data()[f + 1]; ++i) {
                const int64_t v = factor_vars.data()[i];
                size = sized(size, cards.data()[v], "Tree: a factor has too many entries");
                require(holds(factor_home.data()[f], v), "Tree: a clique holds its factors");
                require(std::find(factor_vars.data() + factor_begin.data()[f], factor_vars.data() + i, v) ==
                            factor_vars.data() + i,
                        "Tree: a variable twice in a factor");
            }
            require(table_begin.data()[f + 1] - table_begin.data()[f] == size, "Tree: entries of each factor");
        }
        for (int64_t v = 0; v < V; ++v)
            require(home.data()[v] < 0 || holds(home.data()[v], v), "Tree: a home holds its variable");
    }
};

struct Dim {
    int64_t n, stride;  // states, and how far apart they are in the other table
};

// For each entry of a table in order: its place in another one. Dimensions of one state are left out and neighbours
// that run on are one.
struct Walk {
    std::vector<Dim> dims;
    void clear() { dims.clear(); }
    void add(int64_t n, int64_t stride) {
        if (n == 1) return;
        if (!dims.empty() && (dims.back().stride == stride * n)) dims.back() = {dims.back().n * n, stride};
        else dims.push_back({n, stride});
    }
    // inner(position, place, n, stride) for each stretch of the last dimension.
    template <class Inner> void run(const Inner &inner) const {
        const int64_t k = int64_t(dims.size());
        if (k == 0) return inner(0, 0, 1, 0);
        const Dim last = dims[k - 1];
        if (k == 1) return inner(0, 0, last.n, last.stride);
        const Dim second = dims[k - 2];
        int64_t counter[64] = {0};
        int64_t position = 0, place = 0;
        while (true) {
            for (int64_t j = 0; j < second.n; ++j, position += last.n)
                inner(position, place + j * second.stride, last.n, last.stride);
            int64_t i = k - 3;
            for (; i >= 0; --i) {
                place += dims[i].stride;
                if (++counter[i] < dims[i].n) break;
                place -= dims[i].stride * dims[i].n;
                counter[i] = 0;
            }
            if (i < 0) return;
        }
    }
};

class Engine {
    const Tree &tree;
    const double *tables;
    const int64_t *row = nullptr;  // codes of the evidence, -1 where there is none
    std::vector<int64_t> size, offset, separator_size, separator_offset;
    std::vector<double> low, high;  // (C,) bounds of the entries of each clique that are above 0
    std::vector<double> factor_low, factor_high;  // (F,) the same of each factor
    std::unique_ptr<double[]> phi, separators, room;
    int64_t held = 0, held_separators = 0;
    Walk walk;
    std::vector<int64_t> stride;  // (V,) strides in the other table, 0 for variables that it lacks

    int64_t states(int64_t v) const { return row[v] < 0 ? tree.cards.data()[v] : 1; }
    const int64_t *begin(int64_t c) const { return tree.clique_vars.data() + tree.clique_begin.data()[c]; }
    int64_t width(int64_t c) const { return tree.clique_begin.data()[c + 1] - tree.clique_begin.data()[c]; }

    // The entries of clique c, each with its place in a table of factor f's layout; where that table begins.
    int64_t along_factor(int64_t c, int64_t f) {
        const int64_t from = tree.factor_begin.data()[f], to = tree.factor_begin.data()[f + 1];
        int64_t step = 1, start = tree.table_begin.data()[f];
        for (int64_t i = to - 1; i >= from; --i) {
            const int64_t v = tree.factor_vars.data()[i];
            if (row[v] < 0) stride[v] = step;
            else start += row[v] * step;
            step *= tree.cards.data()[v];
        }
        walk.clear();
        const int64_t *a = begin(c);
        for (int64_t i = 0; i < width(c); ++i) walk.add(states(a[i]), stride[a[i]]);
        for (int64_t i = from; i < to; ++i) stride[tree.factor_vars.data()[i]] = 0;
        return start;
    }
    // The entries of the parent of c, each with its place in the separator between them.
    void along_separator(int64_t c) {
        const int64_t *a = begin(c), p = tree.parent.data()[c];
        int64_t step = 1;
        for (int64_t i = tree.shared.data()[c] - 1; i >= 0; --i) {
            stride[a[i]] = step;
            step *= states(a[i]);
        }
        walk.clear();
        const int64_t *b = begin(p);
        for (int64_t i = 0; i < width(p); ++i) walk.add(states(b[i]), stride[b[i]]);
        for (int64_t i = 0; i < tree.shared.data()[c]; ++i) stride[a[i]] = 0;
    }
    void along_variable(int64_t c, int64_t variable) {
        walk.clear();
        const int64_t *a = begin(c);
        for (int64_t i = 0; i < width(c); ++i) walk.add(states(a[i]), a[i] == variable ? 1 : 0);
    }
    static void multiply(double *x, const double *y, int64_t n, int64_t s) {
        if (s == 0) {
            const double by = y[0];
            for (int64_t i = 0; i < n; ++i) x[i] *= by;
        } else if (s == 1) {
            for (int64_t i = 0; i < n; ++i) x[i] *= y[i];
        } else {
            for (int64_t i = 0; i < n; ++i) x[i] *= y[i * s];
        }
    }
    static void gather(const double *x, double *y, int64_t n, int64_t s, double by) {
        if (s == 0) {
            double sum = 0.0;
            for (int64_t i = 0; i < n; ++i) sum += x[i];
            y[0] += by * sum;
        } else if (s == 1) {
            for (int64_t i = 0; i < n; ++i) y[i] += by * x[i];
        } else {
            for (int64_t i = 0; i < n; ++i) y[i * s] += by * x[i];
        }
    }

    // Makes room for a product of clique c with numbers from least to greatest.
    void widen(int64_t c, double least, double greatest) {
        if (low[c] * least < LEAST || high[c] * greatest > 1 / LEAST) {
            double *x = phi.get() + offset[c], largest = 0.0, smallest = 1.0;
            for (int64_t i = 0; i < size[c]; ++i) largest = std::max(largest, x[i]);
            if (largest > 0.0) {
                for (int64_t i = 0; i < size[c]; ++i) {
                    x[i] /= largest;
                    if (x[i] > 0.0) smallest = std::min(smallest, x[i]);
                }
                log_evidence += std::log(largest);
            }
            low[c] = smallest, high[c] = 1.0;
        }
        low[c] *= least, high[c] *= greatest;
    }

    // The place at which the running sum exceeds a share of the whole; the last that is above 0 if rounding hides it.
    static int64_t drawn(const double *x, int64_t n, double share) {
        double sum = 0.0, running = 0.0;
        for (int64_t i = 0; i < n; ++i) sum += x[i];
        int64_t last = 0;
        for (int64_t i = 0; i < n; ++i) {
            if (!(x[i] > 0.0)) continue;
            last = i, running += x[i];
            if (running > share * sum) break;
        }
        return last;
    }

  public:
    double log_evidence = 0.0;
    std::vector<int64_t> best;  // the most probable state of each variable

    Engine(const Tree &tree, In1<double> tables) : tree(tree), tables(tables.data()) {
        const int64_t C = tree.cliques();
        require(length(tables) == tree.table_begin.data()[tree.factors()], "tables: entries of all factors");
        size.resize(C), offset.resize(C), separator_size.resize(C), separator_offset.resize(C);
        stride.assign(tree.variables(), 0);
        best.assign(tree.variables(), 0);
        low.resize(C), high.resize(C);
        factor_low.assign(tree.factors(), INFINITY), factor_high.assign(tree.factors(), 0.0);
        for (int64_t f = 0; f < tree.factors(); ++f)
            for (int64_t i = tree.table_begin.data()[f]; i < tree.table_begin.data()[f + 1]; ++i) {
                const double value = tables.data()[i];
                if (value > 0.0) factor_low[f] = std::min(factor_low[f], value);
                factor_high[f] = std::max(factor_high[f], value);
            }
    }

    const double *clique(int64_t c) const { return phi.get() + offset[c]; }

    // Tables of the cliques given the evidence, then messages towards the first clique; false if it is impossible.
    bool collect(const int64_t *evidence, bool largest) {
        row = evidence;
        const int64_t C = tree.cliques();
        int64_t total = 0, total_separators = 0, widest = 1;
        for (int64_t c = 0; c < C; ++c) {
            const int64_t *a = begin(c), shared = tree.shared.data()[c];
            int64_t m = 1, s = 1;
            for (int64_t i = 0; i < width(c); ++i) {
                if (i == shared) s = m;
                m *= states(a[i]);
            }
            if (shared == width(c)) s = m;
            offset[c] = total, size[c] = m, total += m;
            separator_offset[c] = total_separators, separator_size[c] = s, total_separators += s;
            widest = std::max(widest, s);
        }
        if (total > held) phi.reset(new double[held = total]);
        if (total_separators > held_separators) {
            separators.reset(new double[held_separators = total_separators]);
            room.reset(new double[held_separators]);
        }
        std::fill(phi.get(), phi.get() + total, 1.0);
        std::fill(low.begin(), low.end(), 1.0), std::fill(high.begin(), high.end(), 1.0);
        log_evidence = 0.0;
        for (int64_t f = 0; f < tree.factors(); ++f) {
            const int64_t c = tree.factor_home.data()[f];
            double *x = phi.get() + offset[c];
            const double *y = tables + along_factor(c, f);
            widen(c, std::min(factor_low[f], 1.0), factor_high[f]);
            if (size[c] == 1) x[0] *= y[0];
            else walk.run([&](int64_t at, int64_t place, int64_t n, int64_t s) { multiply(x + at, y + place, n, s); });
        }
        double scale = 1.0;
        for (int64_t c = C - 1; c >= 0; --c) {
            const int64_t s = c ? separator_size[c] : 1, m = size[c] / s;
            const double *x = phi.get() + offset[c];
            double *message = separators.get() + separator_offset[c], sum = 0.0, least = INFINITY;
            for (int64_t i = 0; i < s; ++i) {
                const double *part = x + i * m;
                double value = part[0];
                if (largest)
                    for (int64_t j = 1; j < m; ++j) value = std::max(value, part[j]);
                else
                    for (int64_t j = 1; j < m; ++j) value += part[j];
                message[i] = value;
                sum += value;
                if (value > 0.0) least = std::min(least, value);
            }
            if (!(sum > 0.0)) {
                log_evidence = -INFINITY;
                return false;
            }
            if (sum < NARROW || sum > 1 / NARROW) log_evidence += std::log(sum);
            else if ((scale *= sum) < TINY || scale > 1 / TINY) log_evidence += std::log(scale), scale = 1.0;
            if (c == 0) {
                message[0] = 1.0;
                break;
            }
            const double by = 1.0 / sum;
            for (int64_t i = 0; i < s; ++i) message[i] *= by;
            const int64_t p = tree.parent.data()[c];
            double *y = phi.get() + offset[p];
            if (s == 1) {
                continue;  // a message of one number is 1
            }
            along_separator(c);
            widen(p, least * by, 1.0);
            walk.run([&](int64_t at, int64_t place, int64_t n, int64_t t) { multiply(y + at, message + place, n, t); });
        }
        log_evidence += std::log(scale);
        return true;
    }
    // Messages back from the first clique: then each clique holds the joint probability of its variables, up to a
    // factor.
    void distribute() {
        for (int64_t c = 1; c < tree.cliques(); ++c) {
            const int64_t s = separator_size[c], m = size[c] / s;
            if (s == 1) continue;
            const double *y = phi.get() + offset[tree.parent.data()[c]];
            const double *before = separators.get() + separator_offset[c];
            double *after = room.get(), *x = phi.get() + offset[c];
            std::fill(after, after + s, 0.0);
            along_separator(c);
            walk.run(
                [&](int64_t at, int64_t place, int64_t n, int64_t t) { gather(y + at, after + place, n, t, 1.0); });
            double sum = 0.0;
            for (int64_t i = 0; i < s; ++i) sum += after[i];
            for (int64_t i = 0; i < s; ++i) {
                const double by = before[i] > 0.0 ? after[i] / sum / before[i] : 0.0;
                for (int64_t j = 0; j < m; ++j) x[i * m + j] *= by;
            }
        }
    }
    // The marginal of a variable, from its home.
    void marginal(int64_t v, double *out) {
        const int64_t c = tree.home.data()[v], n = tree.cards.data()[v];
        std::fill(out, out + n, 0.0);
        if (c < 0) return;
        if (row[v] >= 0) {
            out[row[v]] = 1.0;
            return;
        }
        const double *x = clique(c);
        along_variable(c, v);
        walk.run([&](int64_t at, int64_t place, int64_t k, int64_t s) { gather(x + at, out + place, k, s, 1.0); });
        double sum = 0.0;
        for (int64_t i = 0; i < n; ++i) sum += out[i];
        for (int64_t i = 0; i < n; ++i) out[i] /= sum;
    }
    // The joint distribution of the variables of factor f, times a weight, is added to counts of its layout.
    void add_family(int64_t f, double weight, double *counts) {
        const int64_t c = tree.factor_home.data()[f];
        const double *x = clique(c);
        double *y = counts + along_factor(c, f), sum = 0.0;
        for (int64_t i = 0; i < size[c]; ++i) sum += x[i];
        const double by = weight / sum;
        walk.run([&](int64_t at, int64_t place, int64_t n, int64_t s) { gather(x + at, y + place, n, s, by); });
    }
    // An entry of each clique given what its parent chose: after max-product the best, the first of equals; after the
    // sums, with a number from 0 to 1 for each clique, one drawn by its probability.
    void choose(const double *uniform) {
        for (int64_t v = 0; v < tree.variables(); ++v) best[v] = row[v] < 0 ? 0 : row[v];
        for (int64_t c = 0; c < tree.cliques(); ++c) {
            const int64_t *a = begin(c), shared = tree.shared.data()[c], s = c ? separator_size[c] : 1, m = size[c] / s;
            int64_t at = 0;
            for (int64_t i = 0; i < shared; ++i)
                if (row[a[i]] < 0) at = at * tree.cards.data()[a[i]] + best[a[i]];
            const double *part = clique(c) + at * m;
            int64_t top = uniform ? drawn(part, m, uniform[c]) : std::max_element(part, part + m) - part;
            for (int64_t i = width(c) - 1; i >= shared; --i) {
                if (row[a[i]] >= 0) continue;
                best[a[i]] = top % tree.cards.data()[a[i]];
                top /= tree.cards.data()[a[i]];
            }
        }
    }
};

void check_rows(const Tree &tree, const In2<int64_t> &rows, int64_t out_rows) {
    require(int64_t(rows.shape(1)) == tree.variables() && out_rows == length(rows), "rows: a code for each variable");
    const int64_t V = tree.variables();
    for (int64_t i = 0; i < length(rows); ++i)
        for (int64_t v = 0; v < V; ++v) {
            const int64_t code = rows.data()[i * V + v];
            require(code >= -1 && code < tree.cards.data()[v], "rows: a code that its variable lacks");
        }
}

// The marginals of all variables, one after the other, for each row; the log probability of each row's evidence.
void marginals(const Tree &tree, In1<double> tables, In2<int64_t> rows, InOut2<double> out, InOut1<double> logs) {
    check_rows(tree, rows, length(out));
    require(int64_t(out.shape(1)) == tree.state_count() && length(logs) == length(rows), "marginals: room for them");
    nb::gil_scoped_release unlocked;
    Engine engine(tree, tables);
    for (int64_t i = 0; i < length(rows); ++i) {
        double *place = out.data() + i * int64_t(out.shape(1));
        const bool possible = engine.collect(rows.data() + i * tree.variables(), false);
        logs.data()[i] = engine.log_evidence;
        if (!possible) {
            std::fill(place, place + out.shape(1), NAN);
            continue;
        }
        engine.distribute();
        for (int64_t v = 0; v < tree.variables(); place += tree.cards.data()[v++]) engine.marginal(v, place);
    }
}

// The marginal of one variable whose home is the first clique, for each row; log probabilities of the evidence.
void posterior(const Tree &tree, In1<double> tables, In2<int64_t> rows, int64_t variable, InOut2<double> out,
               InOut1<double> logs) {
    check_rows(tree, rows, length(out));
    require(variable >= 0 && variable < tree.variables() && tree.home.data()[variable] == 0,
            "posterior: the first clique must be the home of the variable");
    require(int64_t(out.shape(1)) == tree.cards.data()[variable] && length(logs) == length(rows),
            "posterior: room for it");
    nb::gil_scoped_release unlocked;
    Engine engine(tree, tables);
    for (int64_t i = 0; i < length(rows); ++i) {
        double *place = out.data() + i * int64_t(out.shape(1));
        const bool possible = engine.collect(rows.data() + i * tree.variables(), false);
        logs.data()[i] = engine.log_evidence;
        if (possible) engine.marginal(variable, place);
        else std::fill(place, place + out.shape(1), NAN);
    }
}

// The expected counts of every family over all rows, in the layout of the tables; log probabilities of the rows.
void family_counts(const Tree &tree, In1<double> tables, In2<int64_t> rows, In1<double> weights, InOut1<double> counts,
                   InOut1<double> logs) {
    check_rows(tree, rows, length(logs));
    require(length(weights) == length(rows) && length(counts) == length(tables), "family_counts: weights and counts");
    nb::gil_scoped_release unlocked;
    Engine engine(tree, tables);
    for (int64_t i = 0; i < length(rows); ++i) {
        const bool possible = engine.collect(rows.data() + i * tree.variables(), false);
        logs.data()[i] = engine.log_evidence;
        if (!possible) continue;
        engine.distribute();
        for (int64_t f = 0; f < tree.factors(); ++f) engine.add_family(f, weights.data()[i], counts.data());
    }
}

// The most probable states given each row's evidence, and the logarithm of their joint probability.
void most_probable(const Tree &tree, In1<double> tables, In2<int64_t> rows, InOut2<int64_t> out, InOut1<double> logs) {
    check_rows(tree, rows, length(out));
    require(int64_t(out.shape(1)) == tree.variables() && length(logs) == length(rows), "most_probable: room for them");
    nb::gil_scoped_release unlocked;
    Engine engine(tree, tables);
    const int64_t V = tree.variables();
    for (int64_t i = 0; i < length(rows); ++i) {
        const bool possible = engine.collect(rows.data() + i * V, true);
        double log_joint = engine.log_evidence;
        if (possible) engine.choose(nullptr);
        for (int64_t v = 0; v < V; ++v) out.data()[i * V + v] = possible ? engine.best[v] : -1;
        if (possible) {  // the factors at the chosen states
            log_joint = 0.0;
            for (int64_t f = 0; f < tree.factors(); ++f) {
                int64_t at = 0;
                for (int64_t k = tree.factor_begin.data()[f]; k < tree.factor_begin.data()[f + 1]; ++k) {
                    const int64_t v = tree.factor_vars.data()[k];
                    at = at * tree.cards.data()[v] + engine.best[v];
                }
                log_joint += std::log(tables.data()[tree.table_begin.data()[f] + at]);
            }
        }
        logs.data()[i] = log_joint;
    }
}

// States of all variables drawn given each row's evidence: -1 for an impossible row.
void draw(const Tree &tree, In1<double> tables, In2<int64_t> rows, In2<double> uniform, InOut2<int64_t> out) {
    check_rows(tree, rows, length(out));
    require(int64_t(out.shape(1)) == tree.variables(), "draw: room for the states");
    require(length(uniform) == length(rows) && int64_t(uniform.shape(1)) == tree.cliques(),
            "draw: a number for each clique");
    nb::gil_scoped_release unlocked;
    Engine engine(tree, tables);
    const int64_t V = tree.variables();
    bool possible = false;
    for (int64_t i = 0; i < length(rows); ++i) {
        const int64_t *row = rows.data() + i * V;
        if (i == 0 || !std::equal(row, row + V, row - V)) possible = engine.collect(row, false);
        if (possible) engine.choose(uniform.data() + i * tree.cliques());
        for (int64_t v = 0; v < V; ++v) out.data()[i * V + v] = possible ? engine.best[v] : -1;
    }
}

// The joint distribution of the variables of some cliques, up to a factor, for one row of evidence: whole cliques, one
// after the other, observed variables with one state; the log probability of the evidence is returned.
double clique_tables(const Tree &tree, In1<double> tables, In2<int64_t> rows, In1<int64_t> cliques,
                     InOut1<double> out) {
    check_rows(tree, rows, 1);
    require(within(cliques, 0, tree.cliques()), "clique_tables: cliques of the tree");
    const int64_t *row = rows.data();
    int64_t total = 0;
    for (int64_t k = 0; k < length(cliques); ++k) {
        const int64_t c = cliques.data()[k];
        int64_t size = 1;
        for (int64_t i = tree.clique_begin.data()[c]; i < tree.clique_begin.data()[c + 1]; ++i)
            size *= row[tree.clique_vars.data()[i]] < 0 ? tree.cards.data()[tree.clique_vars.data()[i]] : 1;
        total = total + size;
        require(total <= length(out), "clique_tables: room for them");
    }
    require(total == length(out), "clique_tables: room for them");
    nb::gil_scoped_release unlocked;
    Engine engine(tree, tables);
    if (!engine.collect(row, false)) {
        std::fill(out.data(), out.data() + length(out), 0.0);
        return engine.log_evidence;
    }
    engine.distribute();
    double *place = out.data();
    for (int64_t k = 0; k < length(cliques); ++k) {
        const int64_t c = cliques.data()[k];
        int64_t size = 1;
        for (int64_t i = tree.clique_begin.data()[c]; i < tree.clique_begin.data()[c + 1]; ++i)
            size *= row[tree.clique_vars.data()[i]] < 0 ? tree.cards.data()[tree.clique_vars.data()[i]] : 1;
        double sum = 0.0;
        for (int64_t i = 0; i < size; ++i) sum += engine.clique(c)[i];
        for (int64_t i = 0; i < size; ++i) place[i] = engine.clique(c)[i] / sum;
        place += size;
    }
    return engine.log_evidence;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Tree>(m, "Tree", field("cards", &Tree::cards), field("clique_begin", &Tree::clique_begin),
                 field("clique_vars", &Tree::clique_vars), field("parent", &Tree::parent),
                 field("shared", &Tree::shared), field("factor_begin", &Tree::factor_begin),
                 field("factor_vars", &Tree::factor_vars), field("factor_home", &Tree::factor_home),
                 field("table_begin", &Tree::table_begin), field("home", &Tree::home));
    define(m, "marginals", &marginals, "tree", "tables", "rows", "out", "logs");
    define(m, "posterior", &posterior, "tree", "tables", "rows", "variable", "out", "logs");
    define(m, "family_counts", &family_counts, "tree", "tables", "rows", "weights", "counts", "logs");
    define(m, "most_probable", &most_probable, "tree", "tables", "rows", "out", "logs");
    define(m, "draw", &draw, "tree", "tables", "rows", "uniform", "out");
    define(m, "clique_tables", &clique_tables, "tree", "tables", "rows", "cliques", "out");
}
