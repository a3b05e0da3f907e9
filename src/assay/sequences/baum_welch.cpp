// Baum-Welch, several steps in one call, of states that emit symbols, Gaussian numbers or counts.
//
// A step is the posterior of the states (assay/chains/forward_backward.hpp), the sums of their emissions
// (assay/chains/emissions.hpp), and the chain and the emissions that the sums make most likely. A step that would lose
// a state, or whose covariance cannot be inverted, is not taken: the answer is how many were, and the caller goes on
// from there in its own way. Twin: the steps of hidden_markov_model.py; tests/sequences/test_baum_welch.py.
#include <memory>

#include "assay/chains/emissions.hpp"
#include "assay/chains/forward_backward.hpp"
#include "assay/edge.hpp"

using namespace assay;
using namespace assay::chains;

namespace {

constexpr double HALF_LOG_2PI = 0.918938533204672741780;
constexpr int64_t ROWS_OF_DENSITIES = 512;  // that stay in the cache from their logarithms on
constexpr double LEAST_WEIGHT = 1e-5;  // by which scatter is divided at least
constexpr double LEAST_PIVOT = 1e-13;  // of a variance, what the columns before must leave of it: less is rounding

// How many columns stand for so many states: those for which the passes are compiled.
int64_t padded(int64_t K) {
    for (const int64_t width : {4, 8, 16, 20, 24, 32})
        if (width >= K) return width;
    return (K + 7) / 8 * 8;
}

// The chain, the sequences, and when to stop.
struct BaumWelchSteps {
    In1<int64_t> begin;  // (S + 1,)
    In1<double> w;  // (S,) or (0,): ones
    InOut1<double> start;  // (K,)
    InOut2<double> A;  // (K, K)
    In1<double> start_prior;  // (K,) -inf where nothing is possible
    In2<double> A_prior;  // (K, K)
    bool changes_start, changes_A;
    double tol, before;  // stop when the log likelihood rises by less; what it was before these steps
    InOut1<double> history;  // out: before each step

    int64_t K() const { return length(start); }
    void check() const {
        const int64_t S = length(begin) - 1;
        require(S >= 0 && K() > 0 && K() <= 1 << 20 && length(A) == K() && int64_t(A.shape(1)) == K() &&
                    length(start_prior) == K() && length(A_prior) == K() && int64_t(A_prior.shape(1)) == K() &&
                    weighs(w, S),
                "BaumWelchSteps: priors must fit the states, weights the sequences");
    }
};

// Counts as probabilities, in place of what they were; without any they stay.
void share(const double *counts, const double *prior, int64_t n, double *shares) {
    const auto count = [&](int64_t i) {
        const double c = prior[i] - 1.0 + counts[i];
        return c > 0.0 ? c : 0.0;
    };
    double total = 0.0;
    for (int64_t i = 0; i < n; ++i) total += count(i);
    if (total > 0.0)
        for (int64_t i = 0; i < n; ++i) shares[i] = count(i) / total;
}

// Steps of any family: densities(F, shift) gives (n, P) densities and their logarithms' shift; estimate(gamma) what
// the posterior makes most likely, and whether it could; adopt() takes it.
template <class Family>
int64_t take_steps(const BaumWelchSteps &how, Family &family, int64_t n) {
    const int64_t S = length(how.begin) - 1, K = how.K(), P = padded(K);
    require(shares_out(how.begin, S, n, true), "BaumWelchSteps: begin must share out the rows");
    const int64_t size = sized(n, P, "too many rows");
    const std::unique_ptr<double[]> F(new double[size]), gamma(new double[size]), shift(new double[n]);
    std::vector<double> logs(S), start(P), A(K * P), xi(K * P), first(P), counts(K);
    std::vector<uint8_t> lost(S);
    const int64_t *begin = how.begin.data();
    const double *w = data_or_null(how.w);
    double before = how.before;
    int64_t done = 0;
    for (const int64_t most = length(how.history); done < most; ++done) {
        for (int64_t i = 0; i < K; ++i) {
            start[i] = how.start.data()[i];
            std::copy_n(how.A.data() + i * K, K, A.data() + i * P);
        }
        std::fill(xi.begin(), xi.end(), 0.0);
        std::fill(first.begin(), first.end(), 0.0);
        const bool shifted = family.densities(F.get(), shift.get());
        run({F.get(), begin, S, K, P, start.data(), A.data(), 0},
            {w, gamma.get(), xi.data(), first.data(), logs.data(), lost.data()}, true);
        double total = 0.0;
        for (int64_t s = 0; s < S; ++s) {
            if (lost[s]) return done;
            double log = logs[s];
            if (shifted)
                for (int64_t t = begin[s]; t < begin[s + 1]; ++t) log += shift[t];
            total += (w ? w[s] : 1.0) * log;
        }
        if (!family.estimate(gamma.get())) return done;
        family.adopt();
        if (how.changes_start) share(first.data(), how.start_prior.data(), K, how.start.data());
        if (how.changes_A)
            for (int64_t i = 0; i < K; ++i) {
                for (int64_t j = 0; j < K; ++j) counts[j] = xi[i * P + j] * A[i * P + j];
                share(counts.data(), how.A_prior.data() + i * K, K, how.A.data() + i * K);
            }
        how.history.data()[done] = total;
        if (total - before < how.tol) return done + 1;
        before = total;
    }
    return done;
}

// ------------------------------------------------------------------ symbols

struct Symbols {
    const int64_t *codes;  // (n,) from 0 to M - 1, M where missing
    int64_t n, K, M, P;
    bool changes;
    const double *prior;  // (K, M)
    double *probabilities;  // (K, M)
    std::vector<double> table, counts, row;

    bool densities(double *F, double *) {
        for (int64_t k = 0; k < K; ++k) {
            for (int64_t m = 0; m < M; ++m) table[m * P + k] = probabilities[k * M + m];
            table[M * P + k] = 1.0;
        }
        take_rows(codes, n, table.data(), P, F);
        return false;
    }
    bool estimate(const double *gamma) {
        if (!changes) return true;
        std::fill(counts.begin(), counts.end(), 0.0);
        add_rows(codes, n, gamma, P, counts.data());
        return true;
    }
    void adopt() {
        if (changes)
            for (int64_t k = 0; k < K; ++k) {
                for (int64_t m = 0; m < M; ++m) row[m] = counts[m * P + k];
                share(row.data(), prior + k * M, M, probabilities + k * M);
            }
    }
};

int64_t of_symbols(const BaumWelchSteps &how,
                   In1<int64_t> codes,  // in      (n,)   from 0 to M - 1, M where missing
                   bool changes,
                   In2<double> prior,  // in      (K, M)
                   InOut2<double> probabilities) {  // in/out  (K, M)
    const int64_t n = length(codes), K = how.K(), M = probabilities.shape(1), P = padded(K);
    require(length(probabilities) == K && length(prior) == K && int64_t(prior.shape(1)) == M,
            "of_symbols: probabilities and priors must fit the states");
    require(within(codes, 0, M + 1), "of_symbols: codes must be columns of the probabilities, or the one behind");
    const int64_t size = sized(M + 1, P, "of_symbols: too many symbols");
    nb::gil_scoped_release unlocked;
    Symbols family{codes.data(), n, K, M, P, changes, prior.data(), probabilities.data(), {}, {}, {}};
    family.table.assign(size, 0.0), family.counts.resize(size), family.row.resize(M);
    return take_steps(how, family, n);
}

// ------------------------------------------------------------------ numbers

// The inverse W of the Cholesky factor of S - floor, row by row of the triangle; false if there is none, or, where W is
// asked for, if only rounding keeps S from being singular.
bool invert_root(const double *S, int64_t d, double floor, double *root, double *W) {
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double sum = S[i * d + j] - (i == j ? floor : 0.0);
            for (int64_t u = 0; u < j; ++u) sum -= root[i * d + u] * root[j * d + u];
            const double least = W ? LEAST_PIVOT * S[i * d + i] : 0.0;
            if (i == j && !(sum > least && sum < INFINITE)) return false;
            root[i * d + j] = i == j ? std::sqrt(sum) : sum / root[j * d + j];
        }
    if (!W) return true;
    for (int64_t i = 0; i < d; ++i) {
        double *w = W + i * (i + 1) / 2;
        for (int64_t j = 0; j < i; ++j) {
            double sum = 0.0;
            for (int64_t u = j; u < i; ++u) sum -= root[i * d + u] * W[u * (u + 1) / 2 + j];
            w[j] = sum / root[i * d + i];
        }
        w[i] = 1.0 / root[i * d + i];
    }
    return true;
}

// Kinds of covariances: those of GaussianHMM.
enum Kind : int64_t { DIAGONAL, SPHERICAL, FULL, TIED };

// Priors of means and covariances, and what fit may change.
struct GaussianPriors {
    In2<double> mean, weight;  // (K, d)
    In2<double> covars;  // (K, d), (K d, d), or (d, d)
    double covars_weight, floor;
    bool changes_means, changes_covars;
};

struct Gaussians {
    View2<const double> X;
    int64_t K, P, kind;
    const GaussianPriors &prior;
    double *means, *covars;  // (K, d); (K, d), (K d, d) or (d, d)
    std::vector<double> fresh_means, fresh_covars, padded_means, factors, constants, counts, first, second, moved, root,
        triangle, S, row;

    bool full() const { return kind == FULL || kind == TIED; }
    int64_t n_covars() const {
        return kind == FULL ? K * X.cols() * X.cols() : kind == TIED ? X.cols() * X.cols() : K * X.cols();
    }

    void resize() {
        const int64_t d = X.cols(), height = full() ? d * (d + 1) / 2 : d;
        fresh_means.assign(means, means + K * d);
        fresh_covars.assign(covars, covars + n_covars());
        padded_means.assign(d * P, 0.0);
        factors.assign(height * P, full() ? 0.0 : 1.0);
        constants.assign(P, 0.0);
        counts.resize(d * P), first.resize(d * P), second.resize(height * P), moved.resize(K * d);
        row.resize(d);
        if (full()) root.resize(d * d), triangle.resize(height), S.resize(d * d);
    }

    // What the densities are computed with, of the fresh parameters; false if a covariance cannot be inverted.
    bool prepare() {
        const int64_t d = X.cols(), height = full() ? d * (d + 1) / 2 : d;
        for (int64_t k = 0; k < K; ++k) {
            double log_det = 0.0;
            for (int64_t i = 0; i < d; ++i) padded_means[i * P + k] = fresh_means[k * d + i];
            if (full()) {
                const double *covar = fresh_covars.data() + (kind == FULL ? k * d * d : 0);
                if (kind == FULL || k == 0) {
                    if (!invert_root(covar, d, 0.0, root.data(), triangle.data())) return false;
                }
                for (int64_t i = 0; i < height; ++i) factors[i * P + k] = triangle[i];
                for (int64_t i = 0; i < d; ++i) log_det += std::log(triangle[i * (i + 1) / 2 + i]);
            } else
                for (int64_t i = 0; i < d; ++i) {
                    const double variance = std::max(fresh_covars[k * d + i], std::numeric_limits<double>::min());
                    factors[i * P + k] = 1.0 / std::sqrt(variance);
                    log_det -= 0.5 * std::log(variance);
                }
            constants[k] = log_det - double(d) * HALF_LOG_2PI;
        }
        return true;
    }

    bool densities(double *F, double *shift) {
        for (int64_t t = 0; t < X.rows(); t += ROWS_OF_DENSITIES) {
            const int64_t many = std::min(ROWS_OF_DENSITIES, X.rows() - t);
            log_densities({X.row(t), many, X.cols()}, padded_means.data(), factors.data(), full(), constants.data(), P,
                          F + t * P);
            scale_rows({F + t * P, many, P}, K, F + t * P, shift + t);
        }
        return true;
    }

    bool estimate(const double *gamma) {
        const int64_t d = X.cols();
        std::fill(counts.begin(), counts.end(), 0.0);
        std::fill(first.begin(), first.end(), 0.0);
        std::fill(second.begin(), second.end(), 0.0);
        add_moments(X, gamma, padded_means.data(), full(), P, counts.data(), first.data(), second.data());
        for (int64_t k = 0; k < K; ++k)
            for (int64_t i = 0; i < d; ++i) {
                const double weight = prior.weight.data()[k * d + i], below = weight + counts[i * P + k];
                const double mean = means[k * d + i];
                double to = mean;
                if (prior.changes_means && below > 0.0)
                    to += (weight * (prior.mean.data()[k * d + i] - mean) + first[i * P + k]) / below;
                fresh_means[k * d + i] = to;
                moved[k * d + i] = to - mean;
            }
        if (prior.changes_covars) {
            if (!full()) variances();
            else if (!matrices()) return false;
        }
        return prepare();
    }

    void variances() {
        const int64_t d = X.cols();
        for (int64_t k = 0; k < K; ++k) {
            double sum = 0.0;
            for (int64_t i = 0; i < d; ++i) {
                const double N = counts[i * P + k], by = moved[k * d + i];
                const double offset = fresh_means[k * d + i] - prior.mean.data()[k * d + i];
                double scatter = second[i * P + k] - 2.0 * by * first[i * P + k] + by * by * N;
                scatter = (scatter > 0.0 ? scatter : 0.0) + prior.weight.data()[k * d + i] * offset * offset;
                const double below = std::max(prior.covars_weight - 1.0, 0.0) + N;
                row[i] = (prior.covars.data()[k * d + i] + scatter) / std::max(below, LEAST_WEIGHT);
                sum += row[i];
            }
            for (int64_t i = 0; i < d; ++i) {
                const double fresh = kind == SPHERICAL ? sum / double(d) : row[i];
                const double below = std::max(prior.covars_weight - 1.0, 0.0) + counts[i * P + k];
                fresh_covars[k * d + i] = below > 0.0 ? std::max(fresh, prior.floor) : covars[k * d + i];
            }
        }
    }

    // False where an eigenvalue lies below the floor, or a matrix is not positive.
    bool matrices() {
        const int64_t d = X.cols(), size = d * d;
        const double weight = std::max(prior.covars_weight - double(d), 0.0);
        double total = weight;
        std::vector<double> &scatter = S;
        if (kind == TIED) std::copy_n(prior.covars.data(), size, scatter.data());
        for (int64_t k = 0; k < K; ++k) {
            const double N = counts[k], below = weight + N;
            if (kind == FULL) std::copy_n(prior.covars.data() + k * size, size, scatter.data());
            for (int64_t i = 0, at = 0; i < d; ++i)
                for (int64_t j = 0; j <= i; ++j, ++at) {
                    const double a = moved[k * d + i], b = moved[k * d + j];
                    const double *m = prior.mean.data() + k * d, *v = prior.weight.data() + k * d;
                    const double offset = (fresh_means[k * d + i] - m[i]) * (fresh_means[k * d + j] - m[j]);
                    const double sum = second[at * P + k] - first[i * P + k] * b - first[j * P + k] * a + N * a * b +
                                       std::sqrt(v[i] * v[j]) * offset;
                    scatter[i * d + j] += sum;
                    if (i != j) scatter[j * d + i] += sum;
                }
            total += N;
            if (kind == TIED) continue;
            if (below > 0.0)
                for (int64_t u = 0; u < size; ++u) fresh_covars[k * size + u] = scatter[u] / below;
            else std::copy_n(covars + k * size, size, fresh_covars.data() + k * size);
            if (prior.floor > 0.0 && !invert_root(fresh_covars.data() + k * size, d, prior.floor, root.data(), nullptr))
                return false;
        }
        if (kind == TIED) {
            if (total > 0.0)
                for (int64_t u = 0; u < size; ++u) fresh_covars[u] = scatter[u] / total;
            if (prior.floor > 0.0 && !invert_root(fresh_covars.data(), d, prior.floor, root.data(), nullptr))
                return false;
        }
        return true;
    }

    void adopt() {
        std::copy(fresh_means.begin(), fresh_means.end(), means);
        std::copy(fresh_covars.begin(), fresh_covars.end(), covars);
    }
};

int64_t of_numbers(const BaumWelchSteps &how,
                   In2<double> X,  // in      (n, d) without missing entries if covariances are matrices
                   int64_t kind,  // 0 diagonal, 1 spherical, 2 full, 3 tied
                   const GaussianPriors &prior,
                   InOut2<double> means,  // in/out  (K, d)
                   InOut2<double> covars) {  // in/out  (K, d), (K d, d) or (d, d)
    const int64_t n = X.shape(0), d = X.shape(1), K = how.K(), P = padded(K);
    require(kind >= DIAGONAL && kind <= TIED && d > 0, "of_numbers: kind must be from 0 to 3, X have a column");
    const int64_t height = kind == FULL ? sized(K, d, "of_numbers: too many columns") : kind == TIED ? d : K;
    const auto fits = [&](const auto &a, int64_t rows) { return length(a) == rows && int64_t(a.shape(1)) == d; };
    require(fits(means, K) && fits(covars, height) && fits(prior.mean, K) && fits(prior.weight, K) &&
                fits(prior.covars, height),
            "of_numbers: means, covariances and priors must fit the states and columns");
    sized(sized(d, d, "of_numbers: too many columns"), P, "of_numbers: too many columns");
    nb::gil_scoped_release unlocked;
    Gaussians family{view(X), K,  P,  kind, prior, means.data(), covars.data(), {}, {}, {}, {}, {}, {}, {}, {},
                     {},      {}, {}, {},   {}};
    family.resize();
    if (!family.prepare()) return 0;
    return take_steps(how, family, n);
}

// ------------------------------------------------------------------ counts

HOT void count_densities(View2<const double> X, const double *base, const double *logs, const double *rates,
                         const double *total, int64_t P, double *L) {
    const int64_t n = X.rows(), d = X.cols();
    for (int64_t t = 0; t < n; ++t) {
        double *l = L + t * P;
        for (int64_t k = 0; k < P; ++k) l[k] = base[t] - total[k];
        for (int64_t i = 0; i < d; ++i) {
            const double x = X.row(t)[i];
            if (x != x)
                for (int64_t k = 0; k < P; ++k) l[k] += rates[i * P + k];
            else if (x != 0.0)  // 0 times the logarithm of 0 is 0
                for (int64_t k = 0; k < P; ++k) l[k] += x * logs[i * P + k];
        }
    }
}

HOT void count_sums(View2<const double> X, const double *gamma, bool complete, int64_t P, double *sums, double *rows) {
    const int64_t n = X.rows(), d = X.cols();
    for (int64_t t = 0; t < n; ++t) {
        const double *g = gamma + t * P;
        for (int64_t k = 0; complete && k < P; ++k) rows[k] += g[k];
        for (int64_t i = 0; i < d; ++i) {
            const double x = X.row(t)[i];
            if (x != x) continue;
            for (int64_t k = 0; k < P; ++k) sums[i * P + k] += x * g[k];
            for (int64_t k = 0; !complete && k < P; ++k) rows[i * P + k] += g[k];
        }
    }
}

struct Counts {
    View2<const double> X;  // NaN where missing
    int64_t K, P;
    bool events, changes, complete;  // events: rates of Poisson's; else probabilities of symbols
    const double *base;  // (n,) what no parameter changes
    const double *prior, *weight;  // (K, d)
    double *rates;  // (K, d)
    std::vector<double> logs, turned, total, sums, rows;

    bool densities(double *F, double *shift) {
        const int64_t n = X.rows(), d = X.cols();
        std::fill(total.begin(), total.end(), 0.0);
        for (int64_t k = 0; k < K; ++k)
            for (int64_t i = 0; i < d; ++i) {
                logs[i * P + k] = std::log(rates[k * d + i]);
                turned[i * P + k] = events ? rates[k * d + i] : 0.0;
                total[k] += turned[i * P + k];
            }
        count_densities(X, base, logs.data(), turned.data(), total.data(), P, F);
        scale_rows({F, n, P}, K, F, shift);
        return true;
    }

    bool estimate(const double *gamma) {
        if (!changes) return true;
        std::fill(sums.begin(), sums.end(), 0.0);
        std::fill(rows.begin(), rows.end(), 0.0);
        count_sums(X, gamma, complete, P, sums.data(), rows.data());
        return true;
    }
    void adopt() {
        const int64_t d = X.cols();
        for (int64_t k = 0; changes && k < K; ++k) {
            if (events)
                for (int64_t i = 0; i < d; ++i) {
                    const double below = weight[k * d + i] + rows[(complete ? 0 : i) * P + k];
                    if (below > 0.0) rates[k * d + i] = (prior[k * d + i] + sums[i * P + k]) / below;
                }
            else {
                double all = 0.0;
                for (int64_t i = 0; i < d; ++i) all += sums[i * P + k];
                for (int64_t i = 0; all > 0.0 && i < d; ++i) rates[k * d + i] = sums[i * P + k] / all;
            }
        }
    }
};

int64_t of_counts(const BaumWelchSteps &how,
                  In2<double> X,  // in      (n, d) counts, NaN where missing
                  In1<double> base,  // in      (n,)   of the log densities, what no parameter changes
                  bool events,  // whether rates of events, not probabilities of symbols
                  bool changes,
                  In2<double> prior,  // in      (K, d) events, and rows, that are added; both of events alone
                  In2<double> weight,  // in      (K, d)
                  InOut2<double> rates) {  // in/out  (K, d)
    const int64_t n = X.shape(0), d = X.shape(1), K = how.K(), P = padded(K);
    const auto fits = [&](const auto &a) { return length(a) == K && int64_t(a.shape(1)) == d; };
    require(fits(prior) && fits(weight) && fits(rates) && length(base) == n,
            "of_counts: rates and priors must fit the states and columns");
    const int64_t size = sized(d, P, "of_counts: too many columns");
    nb::gil_scoped_release unlocked;
    bool complete = true;
    for (int64_t i = 0; i < n * d; ++i) complete &= X.data()[i] == X.data()[i];
    Counts family{view(X),      K,  P,  events, changes, complete, base.data(), prior.data(), weight.data(),
                  rates.data(), {}, {}, {},     {},      {}};
    family.logs.assign(size, 0.0), family.turned.assign(size, 0.0), family.total.resize(P);
    family.sums.resize(size), family.rows.resize(size ? size : P);
    return take_steps(how, family, n);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<BaumWelchSteps>(m, "BaumWelchSteps", field("begin", &BaumWelchSteps::begin), field("w", &BaumWelchSteps::w),
                           field("start", &BaumWelchSteps::start), field("A", &BaumWelchSteps::A),
                           field("start_prior", &BaumWelchSteps::start_prior),
                           field("A_prior", &BaumWelchSteps::A_prior),
                           field("changes_start", &BaumWelchSteps::changes_start),
                           field("changes_A", &BaumWelchSteps::changes_A), field("tol", &BaumWelchSteps::tol),
                           field("before", &BaumWelchSteps::before), field("history", &BaumWelchSteps::history));
    record<GaussianPriors>(m, "GaussianPriors", field("mean", &GaussianPriors::mean),
                           field("weight", &GaussianPriors::weight), field("covars", &GaussianPriors::covars),
                           field("covars_weight", &GaussianPriors::covars_weight),
                           field("floor", &GaussianPriors::floor),
                           field("changes_means", &GaussianPriors::changes_means),
                           field("changes_covars", &GaussianPriors::changes_covars));
    define(m, "of_symbols", &of_symbols, "how", "codes", "changes", "prior", "probabilities");
    define(m, "of_numbers", &of_numbers, "how", "X", "kind", "prior", "means", "covars");
    define(m, "of_counts", &of_counts, "how", "X", "base", "events", "changes", "prior", "weight", "rates");
}
