// Gibbs sampling of binary features of rows, X = Z A + noise, with A integrated out.
//
//     H = (Z'Z + r I)^-1,   mu = H Z'X,   r = noise variance / feature variance
//     x_i | z_i, other rows  ~  N(z_i mu, noise (1 + v) I),   v = z_i H z_i',      H and mu without row i
//
// Removing and adding a row changes H and mu by one outer product, so that a row costs O(K^2 + K D). A feature that
// only row i has is dropped; n new ones of its own add n / r to v and nothing to the mean:
//
//     P(z_ik = 1) ~ m_k p(x_i | z_i),   P(z_ik = 0) ~ (N - m_k) p(x_i | z_i),   P(n new) ~ Poisson(n; alpha / N) p(x_i
//     | ...)
//
// Twin in NumPy: tests/reduce/buffet/test_indian_buffet_model.py.
#include <cmath>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/random.hpp"

using namespace assay;

namespace {

constexpr int64_t MOST_NEW = 16;         // new features of one row at a time
constexpr int64_t MOST_ENUMERATED = 10;  // features of which all combinations are gone through
constexpr double LEAST_LEFT = 1e-12;     // of 1 - z H z' after rounding

struct Scales {
    double noise, ratio, alpha;  // variance of the noise, r, concentration
};

// log p(x | z) up to a constant, by the squared residual and v.
INLINE double log_row(double squares, double v, int64_t D, double noise) {
    return -0.5 * double(D) * std::log1p(v) - squares / (2 * noise * (1 + v));
}

// Whether 1 is drawn, given log P(1) - log P(0).
inline bool coin(Random &random, double odds) { return random.uniform() * (1 + std::exp(-odds)) < 1.0; }

struct State {
    const double *X;
    uint8_t *Z;
    int64_t *m;
    double *H, *mu;
    int64_t N, D, slots, K;
    double *h, *e;  // scratch: H z' (slots), residual (D)

    const double *x(int64_t i) const { return X + i * D; }

    // h = H z', v = z H z', e = x - z mu over the K features; gives v.
    double look(int64_t i) {
        const uint8_t *z = Z + i * slots;
        for (int64_t k = 0; k < K; ++k) h[k] = 0;
        for (int64_t j = 0; j < D; ++j) e[j] = x(i)[j];
        for (int64_t k = 0; k < K; ++k) {
            if (!z[k]) continue;
            for (int64_t l = 0; l < K; ++l) h[l] += H[k * slots + l];
            for (int64_t j = 0; j < D; ++j) e[j] -= mu[k * D + j];
        }
        double v = 0;
        for (int64_t k = 0; k < K; ++k) v += z[k] ? h[k] : 0.0;
        return v;
    }
    // mu += sign h e' / left, H -= sign h h' / left
    void shift(double sign, double left) {
        for (int64_t k = 0; k < K; ++k) {
            const double a = sign * h[k] / left;
            for (int64_t j = 0; j < D; ++j) mu[k * D + j] += a * e[j];
            for (int64_t l = 0; l < K; ++l) H[k * slots + l] -= a * h[l];
        }
    }
    void drop(int64_t k) {  // the last feature takes its place
        const int64_t last = --K;
        for (int64_t i = 0; i < N; ++i) Z[i * slots + k] = Z[i * slots + last], Z[i * slots + last] = 0;
        m[k] = m[last], m[last] = 0;
        for (int64_t j = 0; j < D; ++j) mu[k * D + j] = mu[last * D + j];
        for (int64_t l = 0; l <= last; ++l) H[k * slots + l] = H[last * slots + l];
        for (int64_t l = 0; l <= last; ++l) H[l * slots + k] = H[l * slots + last];
    }
};

void draw_row(State &s, int64_t i, const Scales &scales, Random &random) {
    uint8_t *z = s.Z + i * s.slots;
    double v = s.look(i);
    s.shift(-1, std::max(1 - v, LEAST_LEFT));  // without row i
    for (int64_t k = 0; k < s.K; ++k) s.m[k] -= z[k];
    const int64_t before = s.K;
    for (int64_t k = s.K - 1; k >= 0; --k)
        if (s.m[k] == 0) s.drop(k);
    const double alone = double(before - s.K) / scales.ratio;  // what the row's own features add to v, till drawn anew
    v = s.look(i);
    double squares = 0;
    for (int64_t j = 0; j < s.D; ++j) squares += s.e[j] * s.e[j];
    for (int64_t k = 0; k < s.K; ++k) {
        const double sign = z[k] ? -1 : 1, *mu = s.mu + k * s.D;
        double cross = 0, own = 0;
        for (int64_t j = 0; j < s.D; ++j) cross += s.e[j] * mu[j], own += mu[j] * mu[j];
        const double other_v = std::max(v + sign * 2 * s.h[k] + s.H[k * s.slots + k], 0.0);
        const double other_squares = std::max(squares - sign * 2 * cross + own, 0.0);
        const double gain =
            log_row(other_squares, other_v + alone, s.D, scales.noise) - log_row(squares, v + alone, s.D, scales.noise);
        const double odds = std::log(double(s.m[k])) - std::log(double(s.N - s.m[k])) + sign * gain;
        if (coin(random, odds) == bool(z[k])) continue;
        z[k] ^= 1;
        v = other_v, squares = other_squares;
        for (int64_t l = 0; l < s.K; ++l) s.h[l] += sign * s.H[k * s.slots + l];
        for (int64_t j = 0; j < s.D; ++j) s.e[j] -= sign * mu[j];
    }
    double logs[MOST_NEW + 1], most = -INFINITY, total = 0;
    for (int64_t n = 0; n <= MOST_NEW; ++n) {
        logs[n] = double(n) * std::log(scales.alpha / double(s.N)) - std::lgamma(double(n) + 1) +
                  log_row(squares, v + double(n) / scales.ratio, s.D, scales.noise);
        most = std::max(most, logs[n]);
    }
    for (double &value : logs) total += value = std::exp(value - most);
    double u = random.uniform() * total;
    int64_t fresh = 0;
    while (fresh < MOST_NEW && u >= logs[fresh]) u -= logs[fresh++];
    for (; fresh > 0; --fresh, ++s.K) {
        z[s.K] = 1, s.m[s.K] = 0;
        for (int64_t j = 0; j < s.D; ++j) s.mu[s.K * s.D + j] = 0;
        for (int64_t l = 0; l <= s.K; ++l) s.H[s.K * s.slots + l] = s.H[l * s.slots + s.K] = 0;
        s.H[s.K * s.slots + s.K] = 1 / scales.ratio;
    }
    v = s.look(i);
    s.shift(1, 1 + std::max(v, 0.0));
    for (int64_t k = 0; k < s.K; ++k) s.m[k] += z[k];
}

// Draws the features of the rows from `first` on; stops early when slots run short. Gives the next row and K.
std::tuple<int64_t, int64_t> sweep(In2<double> X,  // in      (N, D)
                                   InOut2<uint8_t> Z,  // in/out  (N, slots)      0 or 1, 0 from K on
                                   InOut1<int64_t> m,  // in/out  (slots,)        sums of the columns
                                   InOut2<double> H,  // in/out  (slots, slots)
                                   InOut2<double> mu,  // in/out  (slots, D)
                                   int64_t K, const Scales &scales,
                                   InOut1<uint64_t> random,  // in/out  (4,)
                                   int64_t first) {
    const int64_t N = length(X), D = int64_t(X.shape(1)), slots = length(m);
    require(length(Z) == N && int64_t(Z.shape(1)) == slots && length(H) == slots && int64_t(H.shape(1)) == slots &&
                length(mu) == slots && int64_t(mu.shape(1)) == D && length(random) == 4,
            "sweep: sizes of the features");
    require(K >= 0 && K <= slots && first >= 0 && first <= N, "sweep: features and rows that there are");
    require(within(Z, 0, 2) && within(m, 0, N + 1), "sweep: features are 0 or 1, and counts those of rows");
    require(scales.noise > 0 && scales.ratio > 0 && scales.alpha > 0, "sweep: variances and alpha above 0");
    std::vector<double> scratch(size_t(slots + D));
    nb::gil_scoped_release unlocked;
    Random draws(random.data());
    State state{
        X.data(), Z.data(), m.data(), H.data(), mu.data(), N, D, slots, K, scratch.data(), scratch.data() + slots};
    int64_t i = first;
    for (; i < N && state.K + MOST_NEW <= slots; ++i) draw_row(state, i, scales, draws);
    draws.keep(random.data());
    return {i, state.K};
}

// out_ik = P(z_ik = 1 | x_i) for rows of their own, given H, mu and the prior log odds of each feature: all
// combinations of few features (in the order of a Gray code, one flip at a time), else the mean of the conditionals of
// Gibbs sweeps.
void responsibilities(In2<double> X,  // in      (n, D)
                      In2<double> H,  // in      (K, K)
                      In2<double> mu,  // in      (K, D)
                      In1<double> odds,  // in      (K,)
                      double noise,
                      int64_t sweeps,  // the first fifth is not counted
                      InOut1<uint64_t> random, InOut2<double> out) {  // out  (n, K)
    const int64_t n = length(X), D = int64_t(X.shape(1)), K = length(odds);
    require(length(H) == K && int64_t(H.shape(1)) == K && length(mu) == K && int64_t(mu.shape(1)) == D &&
                length(out) == n && int64_t(out.shape(1)) == K && length(random) == 4,
            "responsibilities: sizes of the features");
    require(noise > 0 && sweeps >= 1, "responsibilities: a variance above 0, one sweep or more");
    std::vector<double> scratch(size_t(sized(K + D, 1, "responsibilities: too large")));
    std::vector<uint8_t> features(size_t(K), 0);
    const bool whole = K <= MOST_ENUMERATED;
    std::vector<double> logs(whole ? size_t(1) << K : 0);
    std::vector<uint32_t> codes(logs.size());
    nb::gil_scoped_release unlocked;
    Random draws(random.data());
    double *h = scratch.data(), *e = h + K;
    uint8_t *z = features.data();
    for (int64_t i = 0; i < n; ++i) {
        double v = 0, prior = 0;
        for (int64_t k = 0; k < K; ++k) h[k] = 0, z[k] = 0, out.data()[i * K + k] = 0;
        for (int64_t j = 0; j < D; ++j) e[j] = X.data()[i * D + j];
        const auto flip = [&](int64_t k) {
            const double sign = z[k] ? -1 : 1;
            v = std::max(v + sign * 2 * h[k] + H.data()[k * K + k], 0.0);
            for (int64_t l = 0; l < K; ++l) h[l] += sign * H.data()[k * K + l];
            for (int64_t j = 0; j < D; ++j) e[j] -= sign * mu.data()[k * D + j];
            prior += sign * odds.data()[k];
            z[k] ^= 1;
        };
        const auto log_joint = [&] {
            double squares = 0;
            for (int64_t j = 0; j < D; ++j) squares += e[j] * e[j];
            return prior + log_row(squares, v, D, noise);
        };
        double *share = out.data() + i * K;
        if (whole) {
            double most = -INFINITY, total = 0;
            for (size_t c = 0; c < logs.size(); ++c) {
                if (c) {
                    int64_t k = 0;
                    while (!(c >> k & 1)) ++k;
                    flip(k);
                }
                logs[c] = log_joint(), codes[c] = uint32_t(c ^ (c >> 1));
                most = std::max(most, logs[c]);
            }
            for (size_t c = 0; c < logs.size(); ++c) {
                const double p = std::exp(logs[c] - most);
                total += p;
                for (int64_t k = 0; k < K; ++k) share[k] += codes[c] >> k & 1 ? p : 0.0;
            }
            for (int64_t k = 0; k < K; ++k) share[k] /= total;
            continue;
        }
        const int64_t skipped = sweeps / 5;
        for (int64_t s = 0; s < sweeps; ++s)
            for (int64_t k = 0; k < K; ++k) {
                const double here = log_joint();
                const bool before = z[k];
                flip(k);
                const double gain = (before ? -1 : 1) * (log_joint() - here);  // log P(1) - log P(0)
                if (s >= skipped) share[k] += 1 / ((1 + std::exp(-gain)) * double(sweeps - skipped));
                if (coin(draws, gain) != bool(z[k])) flip(k);
            }
    }
    draws.keep(random.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Scales>(m, "Scales", field("noise", &Scales::noise), field("ratio", &Scales::ratio),
                   field("alpha", &Scales::alpha));
    define(m, "sweep", &sweep, "X", "Z", "m", "H", "mu", "K", "scales", "random", "first");
    define(m, "responsibilities", &responsibilities, "X", "H", "mu", "odds", "noise", "sweeps", "random", "out");
}
