// Seating rows at the tables of a Chinese restaurant: one collapsed Gibbs sweep, one sequential pass, a split or merge.
//
//     P(row at table k) ~ n_k p(x | rows of k),     P(new table) ~ alpha p(x)
//
// A table keeps its posterior, which a row that comes or goes changes by a rank-one step:
//
//     kind 0, normal-inverse-Wishart    m, U = L' of Psi = L L', log|L|
//         log p(x) = c_n - log|L| - (nu + 1)/2 log(1 + kappa/(kappa + 1) || L^-1 (x - m) ||^2)
//     kind 1, normal-gamma, one a column    m, b
//         log p(x) = sum_j c_n - 1/2 log b_j - (a + 1/2) log(1 + kappa/(kappa + 1) (x_j - m_j)^2 / (2 b_j))
//     kind 2, normal mean of known variance, one a column    m
//         log p(x) = sum_j log N(x_j; m_j, noise_j + 1/(1/var_j + n/noise_j))
//
// Random numbers come with the call. Twin in Python: tests/mixture/test_seating.py, by the posteriors of
// stats.bayesian.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double LOG_PI = 1.1447298858494001741, LOG_2PI = 1.8378770664093454836;

struct Prior {
    int64_t kind;
    In1<double> mean;  // (d,)
    double kappa, nu;  // kind 1: nu is a
    In2<double> scale;  // kind 0: (d, d) U; kind 1: (1, d) b; kind 2: (2, d) var and noise
    void check() const {
        const int64_t d = length(mean), rows = kind == 0 ? d : kind;
        require(kind >= 0 && kind <= 2, "Prior: kind must be 0, 1 or 2");
        require(d > 0 && length(scale) == rows && int64_t(scale.shape(1)) == d,
                "Prior: scale must have a column for each of the mean, and the rows of its kind");
        require(kind == 2 || kappa > 0, "Prior: kappa must be above 0");
        require(kind == 2 || nu > (kind == 0 ? double(d - 1) : 0.0), "Prior: too few degrees of freedom");
        for (int64_t j = 0; j < d; ++j) {
            require(kind != 0 || scale.data()[j * d + j] > 0, "Prior: the diagonal must be above 0");
            for (int64_t i = 0; kind != 0 && i < rows; ++i)
                require(scale.data()[i * d + j] > 0, "Prior: scales must be above 0");
        }
    }
};

// Posteriors of tables, in slots; a slot is free when no row sits there.
class Tables {
    const double *X;
    int64_t n, d, width;
    const Prior &prior;
    std::vector<double> constants;  // c_n, filled as counts grow
    std::vector<double> means, scales, log_dets, gap, room;

  public:
    std::vector<int64_t> counts, open;  // rows of each slot; the slots that have any

    Tables(In2<double> rows, const Prior &prior)
        : X(rows.data()), n(rows.shape(0)), d(rows.shape(1)), width(prior.kind == 0   ? d * d
                                                                    : prior.kind == 1 ? d
                                                                                      : 0),
          prior(prior), gap(d), room(d) {}

    const double *row(int64_t i) const { return X + i * d; }
    int64_t slots() const { return int64_t(counts.size()); }

    // A slot that holds the prior alone: slot k is made if it is not there yet.
    void clear(int64_t k) {
        while (slots() <= k) {
            counts.push_back(0);
            log_dets.push_back(0.0);
            means.resize(means.size() + d);
            scales.resize(scales.size() + width);
        }
        counts[k] = 0;
        std::copy_n(prior.mean.data(), d, means.data() + k * d);
        std::copy_n(prior.scale.data(), width, scales.data() + k * width);
        log_dets[k] = 0.0;
        if (prior.kind == 0)
            for (int64_t j = 0; j < d; ++j) log_dets[k] += std::log(scales[k * width + j * d + j]);
    }

    double constant(int64_t m) {
        while (int64_t(constants.size()) <= m) {
            const double at = double(constants.size()), kappa = prior.kappa + at;
            const double nu = prior.nu + (prior.kind == 0 ? at : at / 2), ratio = std::log(kappa / (kappa + 1));
            constants.push_back(
                prior.kind == 0 ? std::lgamma((nu + 1) / 2) - std::lgamma((nu + 1 - d) / 2) + d / 2.0 * (ratio - LOG_PI)
                                : d * (std::lgamma(nu + 0.5) - std::lgamma(nu) + 0.5 * (ratio - LOG_2PI)));
        }
        return constants[m];
    }

    // The log density of a row that would sit down at slot k.
    double predictive(int64_t k, const double *x) {
        const double *m = means.data() + k * d, *S = scales.data() + k * width;
        const int64_t count = counts[k];
        if (prior.kind == 2) {
            const double *var = prior.scale.data(), *noise = var + d;
            double sum = 0.0;
            for (int64_t j = 0; j < d; ++j) {
                const double total = noise[j] + 1 / (1 / var[j] + count / noise[j]), q = x[j] - m[j];
                sum -= 0.5 * (LOG_2PI + std::log(total) + q * q / total);
            }
            return sum;
        }
        const double kappa = prior.kappa + count, ratio = kappa / (kappa + 1);
        if (prior.kind == 1) {
            const double a = prior.nu + 0.5 * count;
            double sum = constant(count);
            for (int64_t j = 0; j < d; ++j) {
                const double q = x[j] - m[j];
                sum -= 0.5 * std::log(S[j]) + (a + 0.5) * std::log1p(ratio * q * q / (2 * S[j]));
            }
            return sum;
        }
        double *z = room.data(), square = 0.0;
        for (int64_t j = 0; j < d; ++j) z[j] = x[j] - m[j];
        for (int64_t j = 0; j < d; ++j) {  // L z = x - m, column by column
            const double *u = S + j * d, v = z[j] / u[j];
            square += v * v;
            for (int64_t i = j + 1; i < d; ++i) z[i] -= v * u[i];
        }
        return constant(count) - log_dets[k] - (prior.nu + count + 1) / 2 * std::log1p(ratio * square);
    }

    // A row comes (side 1) or goes (side -1); false if rounding left no posterior, which rebuild() then makes anew.
    bool change(int64_t k, const double *x, int side) {
        double *m = means.data() + k * d, *S = scales.data() + k * width;
        const int64_t before = counts[k], after = before + side;
        counts[k] = after;
        if (after == 0) {
            clear(k);
            return true;
        }
        if (prior.kind == 2) {
            const double *var = prior.scale.data(), *noise = var + d;
            for (int64_t j = 0; j < d; ++j) m[j] += side * (x[j] - m[j]) / noise[j] / (1 / var[j] + after / noise[j]);
            return true;
        }
        const double old = prior.kappa + before, now = prior.kappa + after, factor = old / now;
        bool fine = true;
        for (int64_t j = 0; j < d; ++j) gap[j] = x[j] - m[j];
        if (prior.kind == 1)
            for (int64_t j = 0; j < d; ++j) {
                S[j] += side * 0.5 * factor * gap[j] * gap[j];
                fine &= S[j] > 0;
            }
        for (int64_t j = 0; j < d; ++j) m[j] += side * gap[j] / now;
        if (prior.kind == 0) {  // rank-one change of the Cholesky root
            const double root = std::sqrt(factor);
            for (int64_t j = 0; j < d; ++j) gap[j] *= root;
            double sum = 0.0;
            for (int64_t j = 0; j < d; ++j) {
                double *u = S + j * d;
                const double squared = u[j] * u[j] + side * gap[j] * gap[j];
                if (!(squared > 1e-14 * u[j] * u[j])) return false;
                const double r = std::sqrt(squared), c = r / u[j], s = gap[j] / u[j];
                u[j] = r;
                sum += std::log(r);
                for (int64_t i = j + 1; i < d; ++i) {
                    u[i] = (u[i] + side * s * gap[i]) / c;
                    gap[i] = c * gap[i] - s * u[i];
                }
            }
            log_dets[k] = sum;
        }
        return fine;
    }

    // The posterior of slot k from the rows that sit there.
    void rebuild(int64_t k, const int64_t *labels, int64_t skipped) {
        clear(k);
        for (int64_t i = 0; i < n; ++i)
            if (labels[i] == k && i != skipped) change(k, row(i), 1);
    }

    void fill(const int64_t *labels) {
        for (int64_t i = 0; i < n; ++i)
            if (labels[i] >= 0) {
                if (labels[i] >= slots()) clear(labels[i]);
                if (!counts[labels[i]]) clear(labels[i]);
                change(labels[i], row(i), 1);
            }
        for (int64_t k = 0; k < slots(); ++k)
            if (counts[k]) open.push_back(k);
    }

    void leave(int64_t i, int64_t *labels) {
        const int64_t k = labels[i];
        if (!change(k, row(i), -1)) rebuild(k, labels, i);
        labels[i] = -1;
        if (!counts[k]) open.erase(std::find(open.begin(), open.end(), k));
    }

    void join(int64_t i, int64_t k, int64_t *labels) {
        if (!counts[k]) {
            clear(k);
            open.push_back(k);
        }
        change(k, row(i), 1);
        labels[i] = k;
    }

    // A slot without rows, with the prior alone.
    int64_t spare() {
        for (int64_t k = 0; k < slots(); ++k)
            if (!counts[k]) return clear(k), k;
        const int64_t k = slots();
        clear(k);
        return k;
    }
};

bool fits(const Array2<const double> &X, const Prior &prior, int64_t labels) {
    return int64_t(X.shape(1)) == length(prior.mean) && length(X) == labels;
}

// The place of a draw among m weights exp(logs), or of the largest without a draw.
int64_t chosen(std::vector<double> &logs, int64_t m, bool drawn, double u) {
    const auto most = std::max_element(logs.begin(), logs.begin() + m);
    if (!drawn) return most - logs.begin();
    const double top = *most;
    double sum = 0.0;
    for (int64_t k = 0; k < m; ++k) sum += logs[k] = std::exp(logs[k] - top);
    double left = u * sum;
    for (int64_t k = 0; k < m; ++k)
        if ((left -= logs[k]) < 0) return k;
    return m - 1;
}

void seat(In2<double> X,  // in      (n, d)
          InOut1<int64_t> labels,  // in/out  (n,)   the table of each row, -1 if it sits nowhere yet
          In1<int64_t> order,  // in      (m,)   rows to be seated (again), one after the other
          In1<double> uniforms,  // in      (m,)   numbers from 0 to 1, or (0,): each takes its most probable table
          double log_alpha, const Prior &prior) {
    const int64_t n = length(X), m = length(order);
    require(fits(X, prior, length(labels)),
            "seat: X must have a label for each row and a column for each of the prior");
    require(within(labels, -1, n) && within(order, 0, n), "seat: labels and order must be numbers of tables and rows");
    require(uniforms.size() == 0 || length(uniforms) == m, "seat: one random number for each row to be seated");
    nb::gil_scoped_release unlocked;
    Tables tables(X, prior);
    tables.fill(labels.data());
    std::vector<double> logs;
    const bool drawn = uniforms.size() > 0;
    for (int64_t t = 0; t < m; ++t) {
        const int64_t i = order.data()[t];
        if (labels.data()[i] >= 0) tables.leave(i, labels.data());
        const int64_t fresh = tables.spare(), K = int64_t(tables.open.size());
        logs.resize(K + 1);
        for (int64_t a = 0; a < K; ++a) {
            const int64_t k = tables.open[a];
            logs[a] = std::log(double(tables.counts[k])) + tables.predictive(k, tables.row(i));
        }
        logs[K] = log_alpha + tables.predictive(fresh, tables.row(i));
        const int64_t a = chosen(logs, K + 1, drawn, drawn ? uniforms.data()[t] : 0.0);
        tables.join(i, a < K ? tables.open[a] : fresh, labels.data());
    }
}

// Sequentially allocated split or merge of the tables of rows i and j; whether it was accepted.
bool propose(const Array2<const double> &X, int64_t *label, int64_t i, int64_t j, const int64_t *order,
             const double *uniforms, double log_alpha, const Prior &prior) {
    const int64_t n = length(X), first = label[i], second = label[j];
    const bool together = first == second;
    // slots: 0 the side of i, 1 that of j, 2 both
    Tables sides(X, prior);
    for (int64_t k = 0; k < 3; ++k) sides.clear(k);
    double log_ratio = log_alpha, log_proposal = 0.0;
    std::vector<int64_t> members, side;
    const auto sit = [&](int64_t r, int64_t k) {
        log_ratio += sides.predictive(k, sides.row(r)) - sides.predictive(2, sides.row(r));
        sides.change(k, sides.row(r), 1);
        sides.change(2, sides.row(r), 1);
        members.push_back(r);
        side.push_back(k);
    };
    sit(i, 0);
    sit(j, 1);
    for (int64_t t = 0; t < n; ++t) {
        const int64_t r = order[t];
        if (r == i || r == j || (label[r] != first && label[r] != second)) continue;
        const double a = std::log(double(sides.counts[0])) + sides.predictive(0, sides.row(r));
        const double b = std::log(double(sides.counts[1])) + sides.predictive(1, sides.row(r));
        const double p = 1 / (1 + std::exp(b - a));  // of the side of i
        const int64_t k = together ? (uniforms[t] < p ? 0 : 1) : (label[r] == first ? 0 : 1);
        log_proposal += k == 0 ? -std::log1p(std::exp(b - a)) : -std::log1p(std::exp(a - b));
        sit(r, k);
    }
    log_ratio += std::lgamma(double(sides.counts[0])) + std::lgamma(double(sides.counts[1])) -
                 std::lgamma(double(sides.counts[2]));
    const double log_split = log_ratio - log_proposal;  // of accepting a split; a merge is its reverse
    const double log_accept = together ? log_split : -log_split;
    if (!(std::log(uniforms[n]) < log_accept)) return false;
    if (!together) {
        for (const int64_t r : members) label[r] = first;
        return true;
    }
    std::vector<char> taken(n + 1, 0);
    for (int64_t r = 0; r < n; ++r) taken[label[r]] = 1;
    const int64_t fresh = std::find(taken.begin(), taken.end(), char(0)) - taken.begin();
    for (size_t t = 0; t < members.size(); ++t)
        if (side[t] == 1) label[members[t]] = fresh;
    return true;
}

int64_t split_merge(In2<double> X,  // in      (n, d)
                    InOut1<int64_t> labels,  // in/out  (n,)  every row sits
                    In2<int64_t> pairs,  // in      (m, 2) rows whose tables are to be split or merged
                    In2<int64_t> orders,  // in      (m, n) for each a permutation of the rows
                    In2<double> uniforms,  // in      (m, n + 1)
                    double log_alpha, const Prior &prior) {
    const int64_t n = length(X), m = length(pairs);
    require(fits(X, prior, length(labels)), "split_merge: X must have a label for each row and the prior's columns");
    require(within(labels, 0, n) && int64_t(pairs.shape(1)) == 2 && within(pairs, 0, n),
            "split_merge: every row must sit, and pairs be two rows each");
    require(length(orders) == m && int64_t(orders.shape(1)) == n && within(orders, 0, n) && length(uniforms) == m &&
                int64_t(uniforms.shape(1)) == n + 1,
            "split_merge: a permutation of the rows and random numbers for each pair");
    nb::gil_scoped_release unlocked;
    int64_t accepted = 0;
    for (int64_t t = 0; t < m; ++t) {
        const int64_t i = pairs.data()[2 * t], j = pairs.data()[2 * t + 1];
        if (i == j) continue;
        accepted +=
            propose(X, labels.data(), i, j, orders.data() + t * n, uniforms.data() + t * (n + 1), log_alpha, prior);
    }
    return accepted;
}

// The log density of the rows, given who sits together.
double log_marginal(In2<double> X,  // in  (n, d)
                    In1<int64_t> labels,  // in  (n,)
                    const Prior &prior) {
    const int64_t n = length(X);
    require(fits(X, prior, length(labels)) && within(labels, 0, n),
            "log_marginal: X must have a label for each row and a column for each of the prior");
    nb::gil_scoped_release unlocked;
    Tables tables(X, prior);
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t k = labels.data()[i];
        if (k >= tables.slots() || !tables.counts[k]) tables.clear(k);
        sum += tables.predictive(k, tables.row(i));
        tables.change(k, tables.row(i), 1);
    }
    return sum;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Prior>(m, "Prior", field("kind", &Prior::kind), field("mean", &Prior::mean), field("kappa", &Prior::kappa),
                  field("nu", &Prior::nu), field("scale", &Prior::scale));
    define(m, "seat", &seat, "X", "labels", "order", "uniforms", "log_alpha", "prior");
    define(m, "split_merge", &split_merge, "X", "labels", "pairs", "orders", "uniforms", "log_alpha", "prior");
    define(m, "log_marginal", &log_marginal, "X", "labels", "prior");
}
