// Candidate conditions of a rule: the class weights that each would leave, and the best of them by a measure.
//
//     ordered column:   x <= cut and x > cut for every two neighbouring values of the rows still covered
//     nominal column:   x = category
//
// The class weights of each value come first: counted where a column has few values, else from the covered rows in the
// column's order. Sums from below and from above then give all cuts. Of rows without a value none is covered.
// Candidates are ordered by key, then by coverage, then by place (column, cut, <= before >). The key is the measure,
// rounded to 40 bits so that rounding errors make no difference; for entropy and Gini of two classes it is the share
// of the larger class, which orders alike.
// Twin in NumPy: tests/rules/covering/test_candidates.py, best_by_the_book.
#include "assay/array.hpp"
#include "assay/edge.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace assay;

namespace {

enum RuleMeasure { ACCURACY, LAPLACE, M_ESTIMATE, FOIL, LIKELIHOOD, ENTROPY, GINI, WRACC, MEASURES };
enum Kind { NONE, UP_TO, ABOVE, EQUAL };
inline bool both_ways(int measure) { return measure == LIKELIHOOD || measure == ENTROPY || measure == GINI; }
constexpr double NEVER = -std::numeric_limits<double>::infinity();
constexpr int COLUMNS = 6;  // of the table of what was found: key, value, coverage, kind, low rank, high rank

inline uint32_t rank_of(uint64_t entry) { return uint32_t(entry >> 32); }
inline uint32_t row_of(uint64_t entry) { return uint32_t(entry); }

inline double rounded(double x) {  // to 40 bits
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    bits = (bits + (uint64_t(1) << 11)) & ~((uint64_t(1) << 12) - 1);
    std::memcpy(&x, &bits, 8);
    return x;
}

struct Judge {
    int measure;
    int64_t K, target;      // target -1: the largest class
    const double *prior;    // (K,) class shares that are expected
    const double *bits;     // (K,) log2 of them, 0 for a class that is not expected
    const double *xlog;     // x log2 x of whole numbers, or null
    double strength;        // beta of Laplace, m of the m-estimate, all weight for WRAcc
    double before, bits0;   // FOIL: the value of the rule so far, and log2 of its share of the class
    bool over;              // the class must be more frequent than expected, and for purity the most frequent
    int64_t classes;        // that Laplace spreads over: K, also where all but the target are counted as one

    double xlogx(double x) const { return xlog ? xlog[int64_t(x)] : (x > 0 ? x * std::log2(x) : 0.0); }

    int64_t own(const double *c) const { return target >= 0 ? target : int64_t(std::max_element(c, c + K) - c); }

    double likelihood_ratio(const double *c, double t) const {  // 2 sum n_j ln(n_j / (prior_j t))
        double sum = -xlogx(t);
        for (int64_t k = 0; k < K; ++k)
            if (prior[k] > 0) sum += xlogx(c[k]) - c[k] * bits[k];
        return std::max(0.0, 2 * M_LN2 * sum);
    }

    bool more_than_expected(const double *c, double t) const {
        return target < 0 || c[target] > prior[target] * t * (1 + 1e-12);
    }

    bool right_way(const double *c, double t) const {  // purity must be that of the rule's own class
        if (!over || target < 0) return true;
        if (measure != LIKELIHOOD && c[target] < *std::max_element(c, c + K)) return false;
        return more_than_expected(c, t);
    }

    double value(const double *c, double t) const {
        const int64_t k = own(c);
        const double p = c[k];
        if (!right_way(c, t)) return NEVER;
        switch (measure) {
            case ACCURACY: return p / t;
            case LAPLACE: return (p + strength) / (t + double(classes) * strength);
            case M_ESTIMATE: return (p + strength * prior[k]) / (t + strength);
            case FOIL: return p > 0 ? before + p * (xlogx(p) / p - xlogx(t) / t - bits0) : NEVER;
            case LIKELIHOOD: return likelihood_ratio(c, t);
            case WRACC: return (p - prior[k] * t) / strength;
            case GINI: {
                double sum = 0;
                for (int64_t j = 0; j < K; ++j) sum += (c[j] / t) * (c[j] / t);
                return sum - 1;
            }
            default: {
                double sum = -xlogx(t);
                for (int64_t j = 0; j < K; ++j) sum += xlogx(c[j]);
                return std::min(sum / t, 0.0);
            }
        }
    }

    double key(const double *c, double t) const {
        if ((measure == ENTROPY || measure == GINI) && K == 2) {
            if (!right_way(c, t)) return NEVER;
            return std::max(c[0], c[1]) / t;
        }
        const double v = value(c, t);
        return v == NEVER ? NEVER : rounded(v);
    }
};

std::vector<double> logarithms(const double *prior, int64_t K) {
    std::vector<double> bits(static_cast<size_t>(K));
    for (int64_t k = 0; k < K; ++k) bits[k] = prior[k] > 0 ? std::log2(prior[k]) : 0.0;
    return bits;
}

struct Found {
    double key, coverage;
    int kind;
    uint32_t low, high;
};

inline bool better(const Found &one, const Found &than) {  // of one column
    if (one.key != than.key) return one.key > than.key;
    if (one.coverage != than.coverage) return one.coverage > than.coverage;
    return one.low != than.low ? one.low < than.low : one.kind < than.kind;
}

// What a column offers: the best few, and the best that is significant.
struct Shortlist {
    const Judge &judge;
    const double floor, least, whole, threshold;  // whole: a candidate leaves less than this
    const size_t most;
    const bool own_rows;  // a rule for a class covers some of its rows, unless the measure is to be blind for that
    std::vector<Found> best;
    std::vector<std::vector<double>> counts;
    Found significant;
    std::vector<double> significant_counts;
    double bar = NEVER;  // nothing with a smaller key can get into either

    Shortlist(const Judge &judge, double floor, double least, double whole, double threshold, size_t most)
        : judge(judge), floor(floor), least(least), whole(whole), threshold(threshold), most(most),
          own_rows(judge.target >= 0 && (judge.over || !both_ways(judge.measure))), significant{NEVER, 0, NONE, 0, 0},
          significant_counts(size_t(judge.K)) {}

    void offer(const double *c, double t, int kind, uint32_t low, uint32_t high) {
        if (t < least || t >= whole || (own_rows && c[judge.target] <= 0)) return;
        const double key = judge.key(c, t);
        if (key < bar || !(key > floor)) return;
        const Found one{key, t, kind, low, high};
        if (threshold >= 0 && (significant.kind == NONE || better(one, significant)) &&
            judge.more_than_expected(c, t) && judge.likelihood_ratio(c, t) > threshold) {
            significant = one;
            std::copy(c, c + judge.K, significant_counts.begin());
        }
        if (best.size() == most) {
            if (!better(one, best.back())) return;
            best.pop_back(), counts.pop_back();
        }
        size_t at = best.size();
        while (at > 0 && better(one, best[at - 1])) --at;
        best.insert(best.begin() + at, one);
        counts.insert(counts.begin() + at, std::vector<double>(c, c + judge.K));
        if (best.size() == most) bar = threshold < 0 ? best.back().key : std::min(best.back().key, significant.key);
    }
};

// The covered rows of a column in its order, those without a value left out; returns how many.
HOT int64_t covered_in_order(const uint64_t *order, int64_t n, const uint8_t *inside, uint32_t width, uint64_t *out) {
    int64_t m = 0;
    for (int64_t i = 0; i < n; ++i) {
        out[m] = order[i];
        m += inside[row_of(order[i])];
    }
    while (m > 0 && rank_of(out[m - 1]) >= width) --m;
    return m;
}

int64_t covered_by_sorting(const int32_t *ranks, const int32_t *rows, int64_t n, uint32_t width, uint64_t *out) {
    int64_t m = 0;
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t rank = uint32_t(ranks[rows[i]]);
        out[m] = uint64_t(rank) << 32 | uint32_t(rows[i]);
        m += rank < width;
    }
    std::sort(out, out + m);
    return m;
}

// The values that covered rows have, ascending, and the class weights of each.
struct Groups {
    std::vector<uint32_t> rank;
    std::vector<double> weight;  // (groups, K)
    std::vector<uint8_t> seen;

    // Few values: a table of all of them.
    void count(const int32_t *ranks, const int32_t *rows, int64_t m, uint32_t width, const int32_t *y, const double *w,
               int64_t K) {
        weight.assign(size_t(width) * K, 0.0), seen.assign(width, 0), rank.clear();
        for (int64_t i = 0; i < m; ++i) {
            const int32_t row = rows[i];
            const uint32_t r = uint32_t(ranks[row]);
            if (r >= width) continue;
            weight[size_t(r) * K + y[row]] += w ? w[row] : 1.0;
            seen[r] = 1;
        }
        for (uint32_t r = 0; r < width; ++r) {
            if (!seen[r]) continue;
            if (rank.size() < r) std::copy_n(&weight[size_t(r) * K], K, &weight[rank.size() * K]);
            rank.push_back(r);
        }
    }

    // Many values: the rows in their order.
    void gather(const uint64_t *entries, int64_t m, const int32_t *y, const double *w, int64_t K) {
        rank.resize(size_t(m)), weight.assign(size_t(m * K), 0.0);
        int64_t g = -1;
        for (int64_t i = 0; i < m; ++i) {
            const uint32_t row = row_of(entries[i]), r = rank_of(entries[i]);
            if (g < 0 || rank[g] != r) rank[++g] = r;
            weight[size_t(g * K + y[row])] += w ? w[row] : 1.0;
        }
        rank.resize(size_t(g + 1));
    }
};

// One column: every cut, or every category.
template <int FEW>  // the number of classes if it is known when this is compiled, else 0
void walk(const Groups &groups, bool nominal, double *sum, Shortlist &list) {
    const int64_t K = FEW ? FEW : list.judge.K, G = int64_t(groups.rank.size());
    const uint32_t *rank = groups.rank.data();
    const double *weight = groups.weight.data();
    double t = 0;
    if (nominal) {
        for (int64_t g = 0; g < G; ++g, t = 0) {
            for (int64_t k = 0; k < K; ++k) t += weight[g * K + k];
            list.offer(weight + g * K, t, EQUAL, rank[g], rank[g]);
        }
        return;
    }
    std::fill(sum, sum + K, 0.0);
    for (int64_t g = 0; g + 1 < G; ++g) {
        for (int64_t k = 0; k < K; ++k) sum[k] += weight[g * K + k], t += weight[g * K + k];
        list.offer(sum, t, UP_TO, rank[g], rank[g + 1]);
    }
    std::fill(sum, sum + K, 0.0), t = 0;
    for (int64_t g = G - 1; g > 0; --g) {
        for (int64_t k = 0; k < K; ++k) sum[k] += weight[g * K + k], t += weight[g * K + k];
        list.offer(sum, t, ABOVE, rank[g - 1], rank[g]);
    }
}

// The class weights of the rows that meet a candidate.
void class_weights(const Found &one, const int32_t *ranks, uint32_t width, const int32_t *rows, int64_t m,
                   const int32_t *y, const double *w, int64_t K, double *out) {
    std::fill(out, out + K, 0.0);
    if (one.kind == NONE) return;
    const uint32_t low = one.kind == UP_TO ? 0 : one.high, high = one.kind == ABOVE ? width - 1 : one.low;
    for (int64_t i = 0; i < m; ++i) {
        const uint32_t r = uint32_t(ranks[rows[i]]);
        if (r >= low && r <= high) out[y[rows[i]]] += w ? w[rows[i]] : 1.0;
    }
}

}  // namespace

// The training table, its columns ranked once.
struct Table {
    In2<uint64_t> order;  // (d, n) rank << 32 | row, ascending
    In2<int32_t> ranks;   // (d, N)
    In1<int32_t> width;   // (d,) how many ranks
    In1<uint8_t> nominal;  // (d,)
    In1<int32_t> y;       // (N,)
    In1<double> w;        // (N,), or empty: ones
};

// By what candidates are judged: see Judge.
struct Quality {
    In1<double> prior;  // (K,)
    int measure;
    int64_t target;
    double strength, before;
    bool over;
};

// Which candidates are wanted.
struct Wanted {
    bool improve;      // only those better than the rule without them
    bool unchanged;    // also those that leave all rows
    double least;      // weight that they leave
    double threshold;  // of the likelihood ratio of the last place, or negative: none is looked for
    int64_t most;      // of each column
};

// The best `most` candidates of columns from..to for the rule that covers `rows`, and in the last place of each column
// the best one whose likelihood ratio is above `threshold` (if that is not negative). Columns in `skip` have none; one
// that leaves all rows is none unless `unchanged` says so. The
// table of candidates has 6 columns (see COLUMNS), counts its class weights; a place without candidate has kind 0.
void best(const Table &table, const Quality &quality, const Wanted &wanted, In1<double> xlog, In1<uint8_t> skip,
          In1<uint8_t> inside, In1<int32_t> rows, In1<double> counts0, int64_t from, int64_t to,
          InOut2<double> candidates_, InOut2<double> counts_) {
    const auto &[prior, measure, target, strength, before, over] = quality;
    const auto &[improve, unchanged, least, threshold, most] = wanted;
    const In1<int32_t> &width = table.width, &y = table.y;
    const In1<uint8_t> &nominal = table.nominal;
    const In1<double> &w = table.w;
    const auto order = view(table.order);
    const auto ranks = view(table.ranks);
    const auto found = view(candidates_);
    const auto counts = view(counts_);
    const int64_t d = order.rows(), N = ranks.cols(), m = int64_t(rows.shape(0)), K = int64_t(prior.shape(0));
    require(0 <= from && from <= to && to <= d && ranks.rows() == d && int64_t(width.shape(0)) == d &&
                int64_t(nominal.shape(0)) == d && int64_t(skip.shape(0)) == d && most > 0,
            "best: columns");
    require(int64_t(y.shape(0)) == N && int64_t(inside.shape(0)) == N && int64_t(counts0.shape(0)) == K &&
                (w.shape(0) == 0 || int64_t(w.shape(0)) == N) && measure >= 0 && measure < MEASURES && target < K &&
                order.cols() <= N && m <= order.cols(),
            "best: rows");
    require(found.rows() == (to - from) * (most + 1) && found.cols() == COLUMNS && counts.rows() == found.rows() &&
                counts.cols() == K,
            "best: places");
    require(xlog.shape(0) == 0 || int64_t(xlog.shape(0)) > N, "best: logarithms");
    require(within(y, 0, K) && within(rows, 0, N) && target >= -1 && (measure != FOIL || target >= 0),
            "best: rows or classes that are not there");
    nb::gil_scoped_release unlocked;
    const std::vector<double> bits = logarithms(prior.data(), K);
    Judge judge{
        measure, K,    target, prior.data(), bits.data(), xlog.shape(0) ? xlog.data() : nullptr, strength, before,
        0,       over, K};
    double whole = 0;
    for (int64_t k = 0; k < K; ++k) whole += counts0.data()[k];
    if (measure == FOIL) judge.bits0 = std::log2(counts0.data()[target] / whole);
    double floor = NEVER;
    if (improve) floor = measure == FOIL ? rounded(before) : judge.key(counts0.data(), whole);
    // Where only one of many classes matters, two are counted, and all of them for the few candidates that are written.
    const int32_t *label = y.data();
    const bool two = target >= 0 && threshold < 0 && !both_ways(measure) && K > 2 + 2 * most;
    const double prior_of_two[2] = {0, two ? prior.data()[target] : 0};
    std::vector<int32_t> is_target;
    if (two) {
        is_target.resize(size_t(N));
        for (int64_t i = 0; i < m; ++i) is_target[rows.data()[i]] = y.data()[rows.data()[i]] == target;
        label = is_target.data(), judge.K = 2, judge.target = 1, judge.prior = prior_of_two;
    }
    const int64_t counted = judge.K;
    // whether walking the whole column is cheaper than sorting the covered rows
    const bool sorted = double(m) * (3 + 2.5 * std::log2(double(m) + 1)) > double(order.cols());
    std::vector<uint64_t> entries(size_t(order.cols()) + 1);
    std::vector<double> sum(static_cast<size_t>(counted));
    Groups groups;
    const double *weights = w.shape(0) ? w.data() : nullptr;
    for (int64_t j = from; j < to; ++j) {
        const uint32_t width_j = uint32_t(width.data()[j]);
        if (skip.data()[j]) {
            groups.rank.clear();
        } else if (int64_t(width_j) * counted <= m + 64) {
            groups.count(ranks.row(j), rows.data(), m, width_j, label, weights, counted);
        } else {
            const int64_t known =
                sorted ? covered_in_order(order.row(j), order.cols(), inside.data(), width_j, entries.data())
                       : covered_by_sorting(ranks.row(j), rows.data(), m, width_j, entries.data());
            groups.gather(entries.data(), known, label, weights, counted);
        }
        // with weights, sums in another order may differ by rounding
        double all = weights ? whole * (1 - 1e-12) : whole;
        if (unchanged) all = std::numeric_limits<double>::infinity();
        Shortlist list(judge, floor, least, all, threshold, size_t(most));
        (counted == 2 ? walk<2> : walk<0>)(groups, nominal.data()[j], sum.data(), list);
        const auto write = [&](int64_t at, const Found &one, const std::vector<double> &c) {
            const double value = one.kind == NONE ? NEVER : judge.value(c.data(), one.coverage);
            const double record[COLUMNS] = {one.key,          value,           one.coverage,
                                            double(one.kind), double(one.low), double(one.high)};
            std::copy(record, record + COLUMNS, found.row(at));
            if (two) class_weights(one, ranks.row(j), width_j, rows.data(), m, y.data(), weights, K, counts.row(at));
            else std::copy(c.begin(), c.end(), counts.row(at));
        };
        const int64_t place = (j - from) * (most + 1);
        const std::vector<double> nothing(static_cast<size_t>(counted));
        for (int64_t q = 0; q < most; ++q) {
            const bool some = q < int64_t(list.best.size());
            write(place + q, some ? list.best[q] : Found{NEVER, 0, NONE, 0, 0}, some ? list.counts[q] : nothing);
        }
        write(place + most, list.significant, list.significant_counts);
    }
}

// Key and value of class weights, row by row, as `best` sees them.
void judged(In2<double> counts_, const Quality &quality, double bits0, InOut2<double> out_) {
    const auto &[prior, measure, target, strength, before, over] = quality;
    const auto counts = view(counts_);
    const auto out = view(out_);
    const int64_t K = int64_t(prior.shape(0));
    require(counts.cols() == K && out.rows() == counts.rows() && out.cols() == 3 && target < K && measure >= 0 &&
                measure < MEASURES && target >= -1 && (measure != FOIL || target >= 0),
            "judged: shapes");
    nb::gil_scoped_release unlocked;
    const std::vector<double> bits = logarithms(prior.data(), K);
    const Judge judge{measure, K, target, prior.data(), bits.data(), nullptr, strength, before, bits0, over, K};
    for (int64_t i = 0; i < counts.rows(); ++i) {
        double t = 0;
        for (int64_t k = 0; k < K; ++k) t += counts.row(i)[k];
        const bool some = t > 0;
        out.row(i)[0] = some ? judge.key(counts.row(i), t) : NEVER;
        out.row(i)[1] = some ? judge.value(counts.row(i), t) : NEVER;
        out.row(i)[2] = some ? judge.likelihood_ratio(counts.row(i), t) : 0.0;
    }
}

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "The best conditions that a rule may add, by the class weights that they leave.";
    record<Table>(m, "Table", field("order", &Table::order), field("ranks", &Table::ranks),
                  field("width", &Table::width), field("nominal", &Table::nominal), field("y", &Table::y),
                  field("w", &Table::w));
    record<Quality>(m, "Quality", field("prior", &Quality::prior), field("measure", &Quality::measure),
                    field("target", &Quality::target), field("strength", &Quality::strength),
                    field("before", &Quality::before), field("over", &Quality::over));
    record<Wanted>(m, "Wanted", field("improve", &Wanted::improve), field("unchanged", &Wanted::unchanged),
                   field("least", &Wanted::least), field("threshold", &Wanted::threshold),
                   field("most", &Wanted::most));
    define(m, "best", &best, "table", "quality", "wanted", "xlog", "skip", "inside", "rows", "counts0", "start", "stop",
           "candidates", "counts");
    define(m, "judged", &judged, "counts", "quality", "bits0", "out");
}
