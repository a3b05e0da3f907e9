// Ensemble of dense networks over raw tables whose members share their weights: inputs, passes in batches, answers.
//
//     input of a row      a_0 = (x, waves(x), plain, embedded categories)
//     waves of column j   e_j + M_j cos(2 pi (f_j x_j + s_j))              a missing x_j is a learned number
//                         of the first columns of numbers only, as many as are embedded
//     member m            a_l = relu((a_{l-1} * r_l^m) W_l + b_l^m),   o^m = a_{L-1} V^m + c^m
//     error               mean over rows and members of the loss of o^m;  answer: mean of the members' answers
//
// The members of a row lie beside each other, (rows, members * units): a bias is then one vector for all members, and
// the shared W_l see (rows * members, units). In the first layer r goes into the weights, so that it is one product.
// Parameters in one vector: replaced, f, s, M, e, tables, then (r, W, b) of each hidden layer, then V and c.
// Twin in NumPy: tests/neural/test_tabular_net.py.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/network/activations.hpp"
#include "assay/network/blas.hpp"
#include "assay/network/errors.hpp"
#include "assay/network/steps.hpp"
#include "assay/random.hpp"

using namespace assay;

namespace {

constexpr int64_t LANES = 8;             // sums of that many numbers side by side
constexpr int64_t ROWS_AT_ONCE = 256;    // of answers
constexpr int64_t MOST_UNITS = 1 << 24;  // of a layer, all members together: BLAS counts with 32 bits
constexpr int64_t MOST_LAYERS = 64;

// ------------------------------------------------------------------ what crosses the edge

struct TabularRows {
    In2<float> numbers;  // (n, p) NaN where missing
    In2<float> plain;    // (n, q) indicators and flags
    In2<int32_t> codes;  // (n, c) categories to embed

    int64_t n() const { return int64_t(numbers.shape(0)); }
    void check() const {
        require(int64_t(plain.shape(0)) == n() && int64_t(codes.shape(0)) == n(), "TabularRows: as many rows in each");
    }
};

struct TabularTargets {
    std::optional<In1<int32_t>> codes;
    std::optional<In2<float>> numbers;
    std::optional<In1<float>> weight;
    double smoothing;
};

struct TabularShape {
    int64_t numbers, plain;    // p, q
    int64_t waved;             // numbers that are embedded by waves, the first of the p
    int64_t waves, width;      // F frequencies (a multiple of 8, or 0) and E numbers of such a column's embedding
    In1<int64_t> levels;       // (c,) rows of each table of categories
    int64_t category_width;    // numbers of a category
    int64_t members;           // k
    In1<int64_t> sizes;        // hidden layers, then the outputs
    int64_t output, loss;
    double parameter;

    int64_t layers() const { return length(sizes); }
    int64_t K() const { return sizes.data()[layers() - 1]; }
    int64_t inputs() const { return numbers + waved * width + plain + length(levels) * category_width; }
    Scoring scoring() const { return {output, loss, K(), parameter, 1.0}; }
    void check() const {
        require(numbers >= 0 && plain >= 0 && numbers < MOST_UNITS && plain < MOST_UNITS, "TabularShape: columns");
        require(waved >= 0 && waved <= numbers && (waved == 0 || waves > 0), "TabularShape: waved");
        require(waves >= 0 && waves <= 1024 && waves % LANES == 0, "TabularShape: waves");
        require(width >= 0 && width <= 1024 && (width > 0) == (waves > 0), "TabularShape: width");
        require(within(levels, 1, MOST_UNITS) && length(levels) < MOST_UNITS, "TabularShape: levels");
        require(category_width >= 1 && category_width <= 1024, "TabularShape: category_width");
        require(members >= 1 && members <= 1024, "TabularShape: members");
        require(layers() >= 2 && layers() <= MOST_LAYERS && within(sizes, 1, MOST_UNITS), "TabularShape: sizes");
        for (int64_t l = 0; l < layers(); ++l)
            require(sizes.data()[l] < MOST_UNITS / members, "TabularShape: units of all members");
        require(inputs() >= 1 && inputs() < MOST_UNITS, "TabularShape: inputs");
        scoring().check();
    }
};

struct TabularRule {  // of the steps, AdamW, by groups of parameters
    In1<int64_t> ends;    // (g,) where each group ends
    In1<double> factors;  // (g,) of the rate
    In1<double> decays;   // (g,) of the weights
    double first, second, epsilon, clip;
    double dropout;  // share of the units left out
};

struct Layout {  // where the parameters of each kind begin
    int64_t replaced, frequency, phase, mix, shift, tables, size;
    std::vector<int64_t> table, r, W, b;  // of each table, of each layer

    explicit Layout(const TabularShape &s) {
        const int64_t p = s.numbers, v = s.waved, k = s.members, H = s.layers() - 1;
        replaced = 0, frequency = p, phase = frequency + v * s.waves, mix = phase + v * s.waves;
        shift = mix + v * s.width * s.waves, tables = shift + v * s.width;
        size = tables;
        for (int64_t j = 0; j < length(s.levels); ++j)
            table.push_back(size), size += s.levels.data()[j] * s.category_width;
        int64_t in = s.inputs();
        for (int64_t l = 0; l < H; ++l) {
            const int64_t out = s.sizes.data()[l];
            r.push_back(size), size += sized(k, in, "TabularShape: sizes");
            W.push_back(size), size += sized(in, out, "TabularShape: sizes");
            b.push_back(size), size += k * out;
            in = out;
        }
        W.push_back(size), size += sized(k * in, s.K(), "TabularShape: sizes");
        b.push_back(size), size += k * s.K();
    }
};

void fits(const TabularRows &rows, const TabularShape &s, const Layout &at, int64_t size) {
    require(int64_t(rows.numbers.shape(1)) == s.numbers && int64_t(rows.plain.shape(1)) == s.plain, "rows: columns");
    require(int64_t(rows.codes.shape(1)) == length(s.levels), "rows: categories");
    require(size == at.size, "tabular_net: parameters");
    const int64_t c = length(s.levels);
    for (int64_t i = 0; i < rows.n(); ++i)
        for (int64_t j = 0; j < c; ++j) {
            const int64_t code = rows.codes.data()[i * c + j];
            require(code >= 0 && code < s.levels.data()[j], "rows: a category that its table lacks");
        }
}

// ------------------------------------------------------------------ inputs of some rows

// cos and sin of u turns: with z = |u| - 1/4 from -1/4 to 1/4, cos = -sin(2 pi z) and sin = sign(u) cos(2 pi z).
__attribute__((always_inline)) inline void turned(float u, float &cosine, float &sine) {
    constexpr float rounding = 0x1.8p23f;
    u = std::fabs(u) < 4194304.0f ? u - ((u + rounding) - rounding) : 0.0f;
    const float y = (std::fabs(u) - 0.25f) * 6.28318530717958647692f, q = y * y;
    float s = -1.0f / 39916800.0f, c = 1.0f / 479001600.0f;  // Taylor, from y^11 and y^12 down
    s = s * q + 1.0f / 362880.0f, c = c * q - 1.0f / 3628800.0f;
    s = s * q - 1.0f / 5040.0f, c = c * q + 1.0f / 40320.0f;
    s = s * q + 1.0f / 120.0f, c = c * q - 1.0f / 720.0f;
    s = s * q - 1.0f / 6.0f, c = c * q + 1.0f / 24.0f;
    s = s * q + 1.0f, c = c * q - 0.5f;
    cosine = -(s * y), sine = (c * q + 1.0f) * (u < 0 ? -1.0f : 1.0f);
}

struct Waves {  // the embedding of one column
    int64_t F, E;
    const float *frequency, *phase, *mix, *shift;
};

// The E numbers of one value, and for the way back the cosines and sines.
HOT void embed(const Waves &w, float x, float *out, float *cosines, float *sines) {
    for (int64_t f = 0; f < w.F; ++f) turned(w.frequency[f] * x + w.phase[f], cosines[f], sines[f]);
    for (int64_t e = 0; e < w.E; ++e) {
        const float *mix = w.mix + e * w.F;
        float lane[LANES] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (int64_t f = 0; f < w.F; f += LANES)
            for (int64_t t = 0; t < LANES; ++t) lane[t] += mix[f + t] * cosines[f + t];
        out[e] =
            w.shift[e] + (((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7])));
    }
}

// From the errors of these E numbers to the gradients of the embedding; returns that of x.
HOT float embed_back(const Waves &w, float x, const float *delta, const float *cosines, const float *sines,
                     float *of_frequency, float *of_phase, float *of_mix, float *of_shift) {
    constexpr float turn = 6.28318530717958647692f;
    float lane[LANES] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int64_t f = 0; f < w.F; f += LANES) {
        float angle[LANES] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (int64_t e = 0; e < w.E; ++e)
            for (int64_t t = 0; t < LANES; ++t) {
                angle[t] += delta[e] * w.mix[e * w.F + f + t];
                of_mix[e * w.F + f + t] += delta[e] * cosines[f + t];
            }
        for (int64_t t = 0; t < LANES; ++t) {
            angle[t] *= -turn * sines[f + t];
            of_phase[f + t] += angle[t], of_frequency[f + t] += angle[t] * x;
            lane[t] += angle[t] * w.frequency[f + t];
        }
    }
    for (int64_t e = 0; e < w.E; ++e) of_shift[e] += delta[e];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

struct Inputs {
    const TabularShape &s;
    const Layout &at;
    int64_t p, v, q, c, F, E, C, D;
    std::vector<float> cosines, sines;

    Inputs(const TabularShape &s, const Layout &at, int64_t most)
        : s(s), at(at), p(s.numbers), v(s.waved), q(s.plain), c(length(s.levels)), F(s.waves), E(s.width),
          C(s.category_width), D(s.inputs()), cosines(sized(most, v * F, "tabular_net: batch")), sines(most * v * F) {}

    Waves column(const float *theta, int64_t j) const {
        return {F,
                E,
                theta + at.frequency + j * F,
                theta + at.phase + j * F,
                theta + at.mix + j * E * F,
                theta + at.shift + j * E};
    }
    float value(const TabularRows &rows, const float *theta, int64_t row, int64_t j) const {
        const float x = rows.numbers.data()[row * p + j];
        return x == x ? x : theta[at.replaced + j];
    }
    void forward(const TabularRows &rows, const float *theta, const int64_t *chosen, int64_t first, int64_t m,
                 float *a) {
        for (int64_t i = 0; i < m; ++i) {
            const int64_t row = chosen ? chosen[i] : first + i;
            float *to = a + i * D;
            for (int64_t j = 0; j < p; ++j) {
                to[j] = value(rows, theta, row, j);
                if (j < v)
                    embed(column(theta, j), to[j], to + p + j * E, &cosines[(i * v + j) * F], &sines[(i * v + j) * F]);
            }
            to += p + v * E;
            if (q) std::memcpy(to, rows.plain.data() + row * q, sizeof(float) * size_t(q));
            to += q;
            for (int64_t j = 0; j < c; ++j)
                std::memcpy(to + j * C, theta + at.table[j] + rows.codes.data()[row * c + j] * C,
                            sizeof(float) * size_t(C));
        }
    }
    void backward(const TabularRows &rows, const float *theta, const int64_t *chosen, int64_t m, const float *delta,
                  float *grad) {
        for (int64_t i = 0; i < m; ++i) {
            const int64_t row = chosen[i];
            const float *from = delta + i * D;
            for (int64_t j = 0; j < p; ++j) {
                const float x = rows.numbers.data()[row * p + j];
                float of_x = from[j];
                if (j < v)
                    of_x += embed_back(column(theta, j), x == x ? x : theta[at.replaced + j], from + p + j * E,
                                       &cosines[(i * v + j) * F], &sines[(i * v + j) * F], grad + at.frequency + j * F,
                                       grad + at.phase + j * F, grad + at.mix + j * E * F, grad + at.shift + j * E);
                if (x != x) grad[at.replaced + j] += of_x;
            }
            from += p + v * E + q;
            for (int64_t j = 0; j < c; ++j) {
                float *to = grad + at.table[j] + rows.codes.data()[row * c + j] * C;
                for (int64_t e = 0; e < C; ++e) to[e] += from[j * C + e];
            }
        }
    }
};

// ------------------------------------------------------------------ layers of all members

HOT void stack(const float *r, const float *W, int64_t k, int64_t d, int64_t n, float *V) {  // V = (r^m W) side by side
    for (int64_t i = 0; i < d; ++i)
        for (int64_t m = 0; m < k; ++m)
            for (int64_t j = 0; j < n; ++j) V[(i * k + m) * n + j] = r[m * d + i] * W[i * n + j];
}
HOT void unstack(const float *G, const float *r, const float *W, int64_t k, int64_t d, int64_t n, float *of_r,
                 float *of_W) {  // from the gradient of V to those of r and W
    for (int64_t i = 0; i < d; ++i) {
        for (int64_t j = 0; j < n; ++j) of_W[i * n + j] = 0;
        for (int64_t m = 0; m < k; ++m) {
            const float *g = G + (i * k + m) * n, share = r[m * d + i];
            float lane[LANES] = {0, 0, 0, 0, 0, 0, 0, 0}, rest = 0;
            int64_t j = 0;
            for (; j + LANES <= n; j += LANES)
                for (int64_t t = 0; t < LANES; ++t) lane[t] += g[j + t] * W[i * n + j + t];
            for (; j < n; ++j) rest += g[j] * W[i * n + j];
            for (j = 0; j < n; ++j) of_W[i * n + j] += share * g[j];
            for (float part : lane) rest += part;
            of_r[m * d + i] = rest;
        }
    }
}
// fed = a * r * kept, kept None or 0 and the reciprocal share; r None is 1.
HOT void feed(const float *a, const float *r, const uint8_t *kept, float grown, int64_t m, int64_t n, float *fed) {
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            float x = a[i * n + j];
            if (r) x *= r[j];
            if (kept) x = kept[i * n + j] ? x * grown : 0.0f;
            fed[i * n + j] = x;
        }
}
// From the errors of what was fed to those of a, in place; the gradient of r is added up.
HOT void feed_back(const float *a, const float *r, const uint8_t *kept, float grown, int64_t m, int64_t n, float *delta,
                   float *of_r) {
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            float x = delta[i * n + j];
            if (kept) x = kept[i * n + j] ? x * grown : 0.0f;
            if (r) of_r[j] += x * a[i * n + j], x *= r[j];
            delta[i * n + j] = x;
        }
}

void leave_out(std::vector<uint8_t> &kept, int64_t size, double share, Random &random) {
    const auto least = uint64_t(std::lround(share * 256));  // shares are taken in steps of 1/256
    for (int64_t i = 0; i < size; i += 8) {
        uint64_t word = random.next();
        for (int64_t t = 0; t < 8 && i + t < size; ++t, word >>= 8) kept[i + t] = (word & 255) >= least;
    }
}

struct Members {
    Gemm<float> g;
    const TabularShape &s;
    const Layout &at;
    int64_t k, H, K, D;
    const int64_t *n;  // sizes
    double dropout;  // share of the units left out while learning
    Inputs inputs;
    std::vector<float> V, G, of_input, zeros;
    std::vector<std::vector<float>> a, fed, delta;  // a[0] are the inputs, a[l] the values of hidden layer l
    std::vector<std::vector<uint8_t>> kept;
    std::vector<int64_t> rows_of;

    Members(Gemm<float> g, const TabularShape &s, const Layout &at, int64_t most, bool learns, double dropout)
        : g(g), s(s), at(at), k(s.members), H(s.layers() - 1), K(s.K()), D(s.inputs()), n(s.sizes.data()),
          dropout(dropout), inputs(s, at, most), zeros(K), a(H + 2), fed(H + 2), delta(H + 2), kept(H + 2) {
        V.resize(sized(D, k * n[0], "tabular_net: first layer"));
        a[0].resize(sized(most, D, "tabular_net: batch"));
        for (int64_t l = 1; l <= H + 1; ++l) {
            const int64_t size = sized(most, k * n[l - 1], "tabular_net: batch");
            a[l].resize(size);
            if (l <= H) fed[l].resize(size);
            if (!learns) continue;
            delta[l].resize(size);
            if (l <= H && dropout > 0) kept[l].resize(size);
        }
        if (learns) G.resize(V.size()), of_input.resize(most * D), rows_of.resize(most * k);
    }

    const float *fed_of(int64_t l) const { return l == H && kept[l].empty() ? a[l].data() : fed[l].data(); }
    const float *scale_of(const float *theta, int64_t l) const { return l < H ? theta + at.r[l] : nullptr; }

    // The members' outputs before their link, in a[H + 1].
    void forward(const TabularRows &rows, const float *theta, const int64_t *chosen, int64_t first, int64_t m,
                 Random *random) {
        inputs.forward(rows, theta, chosen, first, m, a[0].data());
        multiply<float>(g, false, false, m, k * n[0], D, a[0].data(), V.data(), 0, a[1].data());
        const float grown = float(1 / (1 - double(std::lround(dropout * 256)) / 256));
        for (int64_t l = 1; l <= H; ++l) {
            activate(RELU, a[l].data(), theta + at.b[l - 1], m, k * n[l - 1]);
            const uint8_t *mask = nullptr;
            if (random && dropout > 0) leave_out(kept[l], m * k * n[l - 1], dropout, *random), mask = kept[l].data();
            if (l < H || mask) feed(a[l].data(), scale_of(theta, l), mask, grown, m, k * n[l - 1], fed[l].data());
            if (l < H)
                multiply<float>(g, false, false, m * k, n[l], n[l - 1], fed[l].data(), theta + at.W[l], 0,
                                a[l + 1].data());
        }
        const float *last = fed_of(H);
        for (int64_t e = 0; e < k; ++e)
            multiply<float>(g, false, false, m, K, n[H - 1], {last + e * n[H - 1], k * n[H - 1]},
                            {theta + at.W[H] + e * n[H - 1] * K, K}, 0, {a[H + 1].data() + e * K, k * K});
        activate(IDENTITY, a[H + 1].data(), theta + at.b[H], m, k * K);
    }
    void begin(const float *theta) { stack(theta + at.r[0], theta + at.W[0], k, D, n[0], V.data()); }

    // Sum of the weighted losses of a batch, mean over the members; the gradient times `scale` is written.
    double batch(const TabularRows &rows, const Targets<float> &targets, const int64_t *chosen, int64_t m, double scale,
                 const float *theta, float *grad, Random &random) {
        begin(theta);
        forward(rows, theta, chosen, 0, m, &random);
        for (int64_t i = 0; i < m; ++i)
            for (int64_t e = 0; e < k; ++e) rows_of[i * k + e] = chosen[i];
        const double loss = errors(s.scoring(), targets, rows_of.data(), 0, m * k, a[H + 1].data(), zeros.data(),
                                   delta[H + 1].data(), scale / double(k));
        std::fill(grad, grad + at.size, 0.0f);
        slope(IDENTITY, delta[H + 1].data(), a[H + 1].data(), grad + at.b[H], m, k * K);
        const float *last = fed_of(H);
        for (int64_t e = 0; e < k; ++e) {
            const Strided<const float> own{last + e * n[H - 1], k * n[H - 1]},
                error{delta[H + 1].data() + e * K, k * K};
            multiply<float>(g, true, false, n[H - 1], K, m, own, error, 0, {grad + at.W[H] + e * n[H - 1] * K, K});
            multiply<float>(g, false, true, m, n[H - 1], K, error, {theta + at.W[H] + e * n[H - 1] * K, K}, 0,
                            {delta[H].data() + e * n[H - 1], k * n[H - 1]});
        }
        const float grown = float(1 / (1 - double(std::lround(dropout * 256)) / 256));
        for (int64_t l = H; l >= 1; --l) {
            const uint8_t *mask = kept[l].empty() ? nullptr : kept[l].data();
            const float *r = scale_of(theta, l);
            if (r || mask)
                feed_back(a[l].data(), r, mask, grown, m, k * n[l - 1], delta[l].data(), r ? grad + at.r[l] : nullptr);
            slope(RELU, delta[l].data(), a[l].data(), grad + at.b[l - 1], m, k * n[l - 1]);
            if (l == 1) break;
            multiply<float>(g, true, false, n[l - 2], n[l - 1], m * k, fed[l - 1].data(), delta[l].data(), 0,
                            grad + at.W[l - 1]);
            multiply<float>(g, false, true, m * k, n[l - 2], n[l - 1], delta[l].data(), theta + at.W[l - 1], 0,
                            delta[l - 1].data());
        }
        multiply<float>(g, true, false, D, k * n[0], m, a[0].data(), delta[1].data(), 0, G.data());
        unstack(G.data(), theta + at.r[0], theta + at.W[0], k, D, n[0], grad + at.r[0], grad + at.W[0]);
        multiply<float>(g, false, true, m, D, k * n[0], delta[1].data(), V.data(), 0, of_input.data());
        inputs.backward(rows, theta, chosen, m, of_input.data(), grad);
        return loss / double(k);
    }
};

// ------------------------------------------------------------------ functions

// One pass in batches of `most` rows by AdamW; the rates are those of the batches. Returns the mean of their losses.
double epoch(const TabularRows &rows, const TabularTargets &given, const TabularShape &shape, const TabularRule &rule,
             In1<int64_t> order,  // in      (n,) rows to visit
             int64_t most,  // rows of a batch
             In1<double> rates,  // in      (batches,)
             InOut1<float> theta,  // in/out  parameters
             InOut1<float> moment,  // in/out  means of gradients
             InOut1<float> square,  // in/out  means of their squares
             int64_t t,  // steps before
             uint64_t seed) {  // of the units left out
    const Layout at(shape);
    const int64_t n = length(order), size = length(theta), groups = length(rule.ends);
    const Targets<float> targets{given.codes, given.numbers, given.weight, given.smoothing};
    fits(rows, shape, at, size);
    shape.scoring().fits(targets, rows.n());
    require(length(moment) == size && length(square) == size, "epoch: moments");
    require(most >= 1 && most < MOST_UNITS && within(order, 0, rows.n()), "epoch: rows to visit");
    require(length(rates) == (n + most - 1) / most && t >= 0, "epoch: one rate a batch");
    require(groups >= 1 && within(rule.ends, 0, size + 1) && rule.ends.data()[groups - 1] == size, "epoch: groups");
    for (int64_t j = 1; j < groups; ++j) require(rule.ends.data()[j - 1] <= rule.ends.data()[j], "epoch: groups rise");
    require(length(rule.factors) == groups && length(rule.decays) == groups, "epoch: factors of groups");
    const Rule adam{ADAMW, 0.0, rule.first, rule.second, rule.epsilon, rule.clip};
    adam.check();
    require(rule.dropout >= 0 && rule.dropout < 1, "epoch: dropout is a share below 1");
    const auto g = gemm<float>();
    nb::gil_scoped_release unlocked;
    Members members(g, shape, at, n < most ? n : most, true, rule.dropout);
    std::vector<float> grad(size);
    Random random(seed, uint64_t(t));
    double total_loss = 0;
    for (int64_t begin = 0, step = 0; begin < n; begin += most, ++step) {
        const int64_t m = n - begin < most ? n - begin : most, *chosen = order.data() + begin;
        const double total = total_weight(targets, chosen, 0, m), share = total > 0 ? 1 / total : 0.0;
        total_loss +=
            share * double(m) * members.batch(rows, targets, chosen, m, share, theta.data(), grad.data(), random);
        ++t;
        const double corrected =
            std::sqrt(1 - std::pow(adam.second, double(t))) / (1 - std::pow(adam.first, double(t)));
        double clipped = 1;
        if (rule.clip > 0) {
            const double longest = std::sqrt(squares(grad.data(), size));
            if (longest > rule.clip) clipped = rule.clip / longest;
        }
        for (int64_t j = 0, from = 0; j < groups; from = rule.ends.data()[j++]) {
            const double rate = rates.data()[step] * rule.factors.data()[j];
            move(adam, {rate * corrected, 0.0, rates.data()[step] * rule.decays.data()[j], clipped},
                 rule.ends.data()[j] - from, theta.data() + from, moment.data() + from, square.data() + from,
                 grad.data() + from);
        }
    }
    return n ? total_loss / double(n) : 0.0;
}

// (n, K) the mean over the members of their answers: probabilities or numbers.
void answers(const TabularRows &rows, const TabularShape &shape, In1<float> theta, InOut2<double> out) {
    const Layout at(shape);
    fits(rows, shape, at, length(theta));
    const int64_t n = rows.n(), K = shape.K(), k = shape.members;
    require(int64_t(out.shape(0)) == n && int64_t(out.shape(1)) == K, "answers: as many as rows and outputs");
    const auto g = gemm<float>();
    nb::gil_scoped_release unlocked;
    Members members(g, shape, at, n < ROWS_AT_ONCE ? n : ROWS_AT_ONCE, false, 0.0);
    members.begin(theta.data());
    for (int64_t first = 0; first < n; first += ROWS_AT_ONCE) {
        const int64_t m = n - first < ROWS_AT_ONCE ? n - first : ROWS_AT_ONCE;
        members.forward(rows, theta.data(), nullptr, first, m, nullptr);
        for (int64_t i = 0; i < m; ++i) {
            double *to = out.data() + (first + i) * K;
            std::fill(to, to + K, 0.0);
            for (int64_t e = 0; e < k; ++e) {
                const float *o = members.a[members.H + 1].data() + (i * k + e) * K;
                if (shape.output == OUT_SOFTMAX) {
                    double top = o[0], sum = 0;
                    for (int64_t j = 1; j < K; ++j) top = o[j] > top ? double(o[j]) : top;
                    for (int64_t j = 0; j < K; ++j) sum += exponential(double(o[j]) - top);
                    for (int64_t j = 0; j < K; ++j) to[j] += exponential(double(o[j]) - top) / sum;
                } else if (shape.output == OUT_LOGISTIC) {
                    for (int64_t j = 0; j < K; ++j) to[j] += logistic(double(o[j]));
                } else {
                    for (int64_t j = 0; j < K; ++j)
                        to[j] += shape.output == OUT_EXP ? std::exp(double(o[j])) : double(o[j]);
                }
            }
            for (int64_t j = 0; j < K; ++j) to[j] /= double(k);
        }
    }
}

// (n, D) what the first layer sees of the rows.
void inputs(const TabularRows &rows, const TabularShape &shape, In1<float> theta, InOut2<float> out) {
    const Layout at(shape);
    fits(rows, shape, at, length(theta));
    require(int64_t(out.shape(0)) == rows.n() && int64_t(out.shape(1)) == shape.inputs(), "inputs: (n, D)");
    nb::gil_scoped_release unlocked;
    const int64_t n = rows.n();
    Inputs made(shape, at, n < ROWS_AT_ONCE ? n : ROWS_AT_ONCE);
    for (int64_t first = 0; first < n; first += ROWS_AT_ONCE)
        made.forward(rows, theta.data(), nullptr, first, n - first < ROWS_AT_ONCE ? n - first : ROWS_AT_ONCE,
                     out.data() + first * shape.inputs());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<TabularRows>(m, "Rows", field("numbers", &TabularRows::numbers), field("plain", &TabularRows::plain),
                        field("codes", &TabularRows::codes));
    record<TabularTargets>(m, "Targets", field("codes", &TabularTargets::codes),
                           field("numbers", &TabularTargets::numbers), field("weight", &TabularTargets::weight),
                           field("smoothing", &TabularTargets::smoothing));
    record<TabularShape>(m, "Shape", field("numbers", &TabularShape::numbers), field("plain", &TabularShape::plain),
                         field("waved", &TabularShape::waved), field("waves", &TabularShape::waves),
                         field("width", &TabularShape::width), field("levels", &TabularShape::levels),
                         field("category_width", &TabularShape::category_width),
                         field("members", &TabularShape::members), field("sizes", &TabularShape::sizes),
                         field("output", &TabularShape::output), field("loss", &TabularShape::loss),
                         field("parameter", &TabularShape::parameter));
    record<TabularRule>(m, "Rule", field("ends", &TabularRule::ends), field("factors", &TabularRule::factors),
                        field("decays", &TabularRule::decays), field("first", &TabularRule::first),
                        field("second", &TabularRule::second), field("epsilon", &TabularRule::epsilon),
                        field("clip", &TabularRule::clip), field("dropout", &TabularRule::dropout));
    define(m, "epoch", &epoch, "rows", "targets", "shape", "rule", "order", "most", "rates", "theta", "moment",
           "square", "t", "seed");
    define(m, "answers", &answers, "rows", "shape", "theta", "out");
    define(m, "inputs", &inputs, "rows", "shape", "theta", "out");
}
