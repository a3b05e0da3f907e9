// Dense networks: a pass over the rows in batches, and the gradient over all rows.
//
//     a_0 = x,   a_l = f_l(a_{l-1} W_l + b_l),   E = (1/m) sum_i v_i loss(y_i, a_L) + alpha/(2m) sum_l |W_l|^2
//
// For each batch: gather the rows, multiply (BLAS), add bias and activation in one sweep, errors of the output,
// multiply back, and one step of the optimiser over the flat vector of all parameters (all W_l, then all b_l; where
// sums are normalised, all gains, and over batches the running means and variances; the tables of embedded categories
// last). a_0 of a table with categories is its numbers, then a row of a table for each category. Twin in NumPy:
// tests/neural/test_dense_net.py.
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

constexpr int64_t CHUNK = 1024;          // rows at a time while the gradient of all rows is added up
constexpr int64_t MOST_UNITS = 1 << 24;  // of a layer: BLAS counts with 32 bits
constexpr int64_t MOST_LAYERS = 4096;    // so that no count of weights overflows
constexpr double VARIANCE_FLOOR = 1e-5;  // added to a variance
constexpr double REMEMBERED = 0.9;       // share of the running means and variances that stays at a step

enum Normalization { NONE, OF_BATCH, OF_ROW, NORMALIZATIONS };  // of the weighted sums of the hidden units

// ------------------------------------------------------------------ what is learned from

template <class T> struct DenseRows {  // dense, or three arrays of a sparse table
    std::optional<In2<T>> dense;
    std::optional<In1<T>> value;
    std::optional<In1<int32_t>> column;
    std::optional<In1<int64_t>> start;
    std::optional<In2<int32_t>> codes;  // (n, c) categories to embed, beside dense numbers
    std::optional<In1<int64_t>> levels;  // (c,) how many of them each column has
    int64_t n, d;

    int64_t categories() const { return codes ? int64_t(codes->shape(1)) : 0; }
    void check() const {
        require(n >= 0 && d >= (codes ? 0 : 1), "Rows: sizes");
        if (codes) check_codes();
        if (dense) require(int64_t(dense->shape(0)) == n && int64_t(dense->shape(1)) == d, "Rows: shape");
        else require(value && column && start && are_rows(*value, *column, *start, n, d), "Rows: sparse rows");
    }
    void check_codes() const {
        const int64_t c = categories();
        require(dense && levels && int64_t(codes->shape(0)) == n && length(*levels) == c, "Rows: categories");
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < c; ++j) {
                const int64_t code = codes->data()[i * c + j];
                require(code >= 0 && code < levels->data()[j], "Rows: a category that its table lacks");
            }
    }
};

struct DenseShape {  // of the network
    In1<int64_t> sizes;        // (L + 1,) of the layers, columns of the table first
    In1<int64_t> activations;  // (L - 1,) of the hidden layers
    In1<double> dropout;       // (L,) share of the inputs of each layer that is left out while learning
    int64_t output, loss;
    double parameter;  // of the loss: where Huber's turns, or which quantile
    double divisor;    // of the losses of numbers: 1 for their sum over the outputs
    int64_t normalization;
    In1<int64_t> levels;     // (c,) rows of the table of each column of categories
    int64_t category_width;  // numbers of a category

    int64_t layers() const { return length(sizes) - 1; }
    int64_t embedded() const { return length(levels) * category_width; }  // inputs that stand for categories
    Scoring scoring() const { return {output, loss, sizes.data()[layers()], parameter, divisor}; }
    void check() const {
        require(length(sizes) >= 2 && length(sizes) <= MOST_LAYERS, "DenseShape: layers");
        require(within(sizes, 1, MOST_UNITS), "DenseShape: sizes");
        require(length(activations) == layers() - 1 && within(activations, 0, ACTIVATIONS), "DenseShape: activations");
        require(length(dropout) == layers(), "DenseShape: dropout");
        for (int64_t l = 0; l < layers(); ++l)
            require(dropout.data()[l] >= 0 && dropout.data()[l] < 1, "DenseShape: dropout is a share below 1");
        require(normalization >= 0 && normalization < NORMALIZATIONS, "DenseShape: normalization");
        require(within(levels, 1, MOST_UNITS) && length(levels) < MOST_UNITS, "DenseShape: levels");
        require(category_width >= 1 && category_width <= 1024, "DenseShape: category_width");
        require(embedded() <= sizes.data()[0], "DenseShape: embedded categories");
        scoring().check();
    }
    int64_t tables() const {  // numbers of all categories
        int64_t total = 0;
        for (int64_t j = 0; j < length(levels); ++j) total += levels.data()[j] * category_width;
        return total;
    }
    int64_t weights() const {
        int64_t total = 0;
        for (int64_t l = 0; l < layers(); ++l)
            total += sized(sizes.data()[l], sizes.data()[l + 1], "DenseShape: sizes");
        return total;
    }
    int64_t biases() const {
        int64_t total = 0;
        for (int64_t l = 1; l <= layers(); ++l) total += sizes.data()[l];
        return total;
    }
    int64_t hidden() const { return biases() - sizes.data()[layers()]; }
    int64_t parameters() const {  // gains, and for rows shifts, for batches means and variances
        const int64_t each = normalization == NONE ? 0 : normalization == OF_BATCH ? 3 : 2;
        return weights() + biases() + each * hidden() + tables();
    }
};

// ------------------------------------------------------------------ one batch

template <class T> struct Workspace {
    Gemm<T> g;
    int64_t L, most;
    const int64_t *n;
    std::vector<std::vector<T>> a, delta;
    std::vector<std::vector<uint8_t>> kept;
    std::vector<std::vector<T>> z, spread;        // normalised sums, and what they were divided by
    std::vector<std::vector<T>> center, variance;  // of the batch
    std::vector<T> sums;                           // of two numbers for each unit
    std::vector<int64_t> W, b;                     // where each layer's begin
    std::vector<int64_t> gain, mean, var;          // of the normalised sums of layer l, from 1; mean: or shift
    std::vector<int64_t> table;                    // of each column of categories
    std::vector<T> of_categories;                  // errors of the inputs that stand for them

    Workspace(Gemm<T> g, const DenseShape &shape, int64_t most)
        : g(g), L(shape.layers()), most(most), n(shape.sizes.data()), a(L + 1), delta(L + 1), kept(L), z(L), spread(L),
          center(L), variance(L), W(L), b(L), gain(L), mean(L), var(L) {
        int64_t at = 0;
        for (int64_t l = 0; l < L; ++l) W[l] = at, at += n[l] * n[l + 1];
        for (int64_t l = 0; l < L; ++l) b[l] = at, at += n[l + 1];
        for (int64_t l = 0; l <= L; ++l) {
            a[l].resize(sized(most, n[l], "dense_net: batch"));
            if (l) delta[l].resize(most * n[l]);
            if (l < L && shape.dropout.data()[l] > 0) kept[l].resize(most * n[l]);
        }
        int64_t tables = shape.parameters() - shape.tables();
        for (int64_t j = 0; j < length(shape.levels); ++j)
            table.push_back(tables), tables += shape.levels.data()[j] * shape.category_width;
        of_categories.resize(most * shape.embedded());
        if (shape.normalization == NONE) return;
        int64_t widest = 0;
        for (int64_t l = 1; l < L; ++l) gain[l] = at, at += n[l], widest = widest < n[l] ? n[l] : widest;
        for (int64_t l = 1; l < L; ++l) mean[l] = at, at += n[l];
        for (int64_t l = 1; l < L; ++l) var[l] = at, at += n[l];
        for (int64_t l = 1; l < L; ++l) {
            z[l].resize(most * n[l]);
            spread[l].resize(shape.normalization == OF_BATCH ? n[l] : most);
            center[l].resize(n[l]);
            variance[l].resize(n[l]);
        }
        sums.resize(2 * widest);
    }
};

// ------------------------------------------------------------------ normalised sums

// z = (a - mean) / spread over the m rows of a batch (or by running means), a = gain z.
template <class T>
__attribute__((always_inline)) inline void of_batch(T *a, T *z, T *spread, T *center, T *variance, const T *gain,
                                                    const T *mean, const T *var, bool learning, int64_t m, int64_t n) {
    if (learning) {
        std::fill(center, center + n, T(0));
        std::fill(variance, variance + n, T(0));
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) center[j] += a[i * n + j];
        for (int64_t j = 0; j < n; ++j) center[j] /= T(m);
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
                const T off = a[i * n + j] - center[j];
                variance[j] += off * off;
            }
        for (int64_t j = 0; j < n; ++j) variance[j] /= T(m);
        mean = center;
        var = variance;
    }
    for (int64_t j = 0; j < n; ++j) spread[j] = std::sqrt((var[j] > 0 ? var[j] : T(0)) + T(VARIANCE_FLOOR));
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const T normal = (a[i * n + j] - mean[j]) / spread[j];
            z[i * n + j] = normal;
            a[i * n + j] = gain[j] * normal;
        }
}

// The same over the n units of each row, after the biases b.
template <class T>
__attribute__((always_inline)) inline void of_row(T *a, T *z, T *spread, const T *gain, const T *b, int64_t m,
                                                  int64_t n) {
    for (int64_t i = 0; i < m; ++i) {
        T *r = a + i * n;
        double total = 0, squared = 0;
        for (int64_t j = 0; j < n; ++j) {
            r[j] += b[j];
            total += double(r[j]);
        }
        const T center = T(total / double(n));
        for (int64_t j = 0; j < n; ++j) squared += double(r[j] - center) * double(r[j] - center);
        spread[i] = T(std::sqrt(squared / double(n) + VARIANCE_FLOOR));
        for (int64_t j = 0; j < n; ++j) {
            z[i * n + j] = (r[j] - center) / spread[i];
            r[j] = gain[j] * z[i * n + j];
        }
    }
}

// Errors of the gained sums become those of the sums; `grad` of the gains is added to.
template <class T>
__attribute__((always_inline)) inline void back_of_batch(T *delta, const T *z, const T *spread, const T *gain, T *grad,
                                                         T *sums, bool learning, int64_t m, int64_t n) {
    T *plain = sums, *along = sums + n;  // sums over the rows of delta, and of delta z
    std::fill(sums, sums + 2 * n, T(0));
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            plain[j] += delta[i * n + j];
            along[j] += delta[i * n + j] * z[i * n + j];
        }
    for (int64_t j = 0; j < n; ++j) grad[j] += along[j];
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const T off = learning ? (plain[j] + z[i * n + j] * along[j]) / T(m) : T(0);
            delta[i * n + j] = gain[j] * (delta[i * n + j] - off) / spread[j];
        }
}
template <class T>
__attribute__((always_inline)) inline void back_of_row(T *delta, const T *z, const T *spread, const T *gain, T *grad,
                                                       T *biases, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; ++i) {
        T *r = delta + i * n;
        const T *normal = z + i * n;
        double plain = 0, along = 0;
        for (int64_t j = 0; j < n; ++j) {
            grad[j] += r[j] * normal[j];
            r[j] *= gain[j];
            plain += double(r[j]);
            along += double(r[j]) * double(normal[j]);
        }
        const T shift = T(plain / double(n)), slope = T(along / double(n));
        for (int64_t j = 0; j < n; ++j) {
            r[j] = (r[j] - shift - normal[j] * slope) / spread[i];
            biases[j] += r[j];
        }
    }
}

HOT void normalize(double *a, double *z, double *s, double *c, double *v, const double *gain, const double *mean,
                   const double *var, bool learning, int64_t m, int64_t n) {
    of_batch(a, z, s, c, v, gain, mean, var, learning, m, n);
}
HOT void normalize(float *a, float *z, float *s, float *c, float *v, const float *gain, const float *mean,
                   const float *var, bool learning, int64_t m, int64_t n) {
    of_batch(a, z, s, c, v, gain, mean, var, learning, m, n);
}
HOT void normalize_rows(double *a, double *z, double *s, const double *gain, const double *b, int64_t m, int64_t n) {
    of_row(a, z, s, gain, b, m, n);
}
HOT void normalize_rows(float *a, float *z, float *s, const float *gain, const float *b, int64_t m, int64_t n) {
    of_row(a, z, s, gain, b, m, n);
}
HOT void back(double *delta, const double *z, const double *s, const double *gain, double *grad, double *sums,
              bool learning, int64_t m, int64_t n) {
    back_of_batch(delta, z, s, gain, grad, sums, learning, m, n);
}
HOT void back(float *delta, const float *z, const float *s, const float *gain, float *grad, float *sums, bool learning,
              int64_t m, int64_t n) {
    back_of_batch(delta, z, s, gain, grad, sums, learning, m, n);
}
HOT void back_rows(double *delta, const double *z, const double *s, const double *gain, double *grad, double *biases,
                   int64_t m, int64_t n) {
    back_of_row(delta, z, s, gain, grad, biases, m, n);
}
HOT void back_rows(float *delta, const float *z, const float *s, const float *gain, float *grad, float *biases,
                   int64_t m, int64_t n) {
    back_of_row(delta, z, s, gain, grad, biases, m, n);
}

template <class T> void leave_out(std::vector<T> &a, std::vector<uint8_t> &kept, int64_t size, double share,
                                  Random &random) {
    const T grown = T(1 / (1 - share));
    for (int64_t i = 0; i < size; ++i) {
        kept[i] = random.uniform() >= share;
        a[i] = kept[i] ? a[i] * grown : T(0);
    }
}

template <class T> __attribute__((always_inline)) inline void add_scaled(T *to, const T *from, T factor, int64_t n) {
    for (int64_t j = 0; j < n; ++j) to[j] += factor * from[j];
}
HOT void add(double *to, const double *from, double factor, int64_t n) { add_scaled(to, from, factor, n); }
HOT void add(float *to, const float *from, float factor, int64_t n) { add_scaled(to, from, factor, n); }

// The numbers of a row, then those of its categories.
template <class T>
void embed(const DenseRows<T> &rows, const DenseShape &shape, const Workspace<T> &w, int64_t row, const T *theta,
           T *to) {
    const int64_t c = rows.categories(), width = shape.category_width;
    if (rows.d) std::memcpy(to, rows.dense->data() + row * rows.d, sizeof(T) * size_t(rows.d));
    to += rows.d;
    for (int64_t j = 0; j < c; ++j, to += width)
        std::memcpy(to, theta + w.table[j] + rows.codes->data()[row * c + j] * width, sizeof(T) * size_t(width));
}

// From some rows to the scores of the outputs, before their biases, in w.a[L]; returns the inputs of dense rows.
template <class T>
const T *forward(const DenseRows<T> &rows, const DenseShape &shape, Workspace<T> &w, const int64_t *chosen,
                 int64_t first, int64_t m, const T *theta, Random *random) {
    const int64_t L = w.L, *n = w.n, d = n[0];
    const T *input = nullptr;
    const double *dropout = shape.dropout.data();
    const bool drops = random && dropout[0] > 0;
    if (rows.dense) {
        if (rows.codes) {
            for (int64_t i = 0; i < m; ++i)
                embed(rows, shape, w, chosen ? chosen[i] : first + i, theta, &w.a[0][i * d]);
            input = w.a[0].data();
        } else if (chosen || drops) {
            for (int64_t i = 0; i < m; ++i)
                std::memcpy(&w.a[0][i * d], rows.dense->data() + (chosen ? chosen[i] : first + i) * d,
                            sizeof(T) * size_t(d));
            input = w.a[0].data();
        } else input = rows.dense->data() + first * d;
        if (drops) leave_out(w.a[0], w.kept[0], m * d, dropout[0], *random);
        multiply<T>(w.g, false, false, m, n[1], d, input, theta + w.W[0], 0, w.a[1].data());
    } else {
        std::fill(w.a[1].begin(), w.a[1].begin() + m * n[1], T(0));
        for (int64_t i = 0; i < m; ++i) {
            const int64_t row = chosen ? chosen[i] : first + i;
            for (int64_t e = rows.start->data()[row]; e < rows.start->data()[row + 1]; ++e)
                add(&w.a[1][i * n[1]], theta + w.W[0] + rows.column->data()[e] * n[1], rows.value->data()[e], n[1]);
        }
    }
    for (int64_t l = 1; l < L; ++l) {
        const bool by_rows = shape.normalization == OF_ROW;
        if (shape.normalization == OF_BATCH)
            normalize(w.a[l].data(), w.z[l].data(), w.spread[l].data(), w.center[l].data(), w.variance[l].data(),
                      theta + w.gain[l], theta + w.mean[l], theta + w.var[l], random != nullptr, m, n[l]);
        else if (by_rows)
            normalize_rows(w.a[l].data(), w.z[l].data(), w.spread[l].data(), theta + w.gain[l], theta + w.b[l - 1], m,
                           n[l]);
        activate(shape.activations.data()[l - 1], w.a[l].data(), theta + (by_rows ? w.mean[l] : w.b[l - 1]), m, n[l]);
        if (random && dropout[l] > 0) leave_out(w.a[l], w.kept[l], m * n[l], dropout[l], *random);
        multiply<T>(w.g, false, false, m, n[l + 1], n[l], w.a[l].data(), theta + w.W[l], 0, w.a[l + 1].data());
    }
    return input;
}

// The errors of the first layer are brought to the tables of categories, whose gradient is added to.
template <class T>
void embed_back(const DenseRows<T> &rows, const DenseShape &shape, Workspace<T> &w, const int64_t *chosen,
                int64_t first, int64_t m, const T *theta, T *grad) {
    const int64_t c = rows.categories(), width = shape.category_width, all = c * width;
    if (!all) return;
    multiply<T>(w.g, false, true, m, all, w.n[1], w.delta[1].data(), theta + w.W[0] + rows.d * w.n[1], 0,
                w.of_categories.data());
    for (int64_t i = 0; i < m; ++i) {
        const int32_t *codes = rows.codes->data() + (chosen ? chosen[i] : first + i) * c;
        for (int64_t j = 0; j < c; ++j) {
            T *to = grad + w.table[j] + codes[j] * width;
            for (int64_t e = 0; e < width; ++e) to[e] += w.of_categories[i * all + j * width + e];
        }
    }
}

// Loss and gradient of some rows; the gradient is added to `grad` if `more`, else written. Errors are times `scale`.
template <class T>
double batch(const DenseRows<T> &rows, const Targets<T> &targets, const DenseShape &shape, Workspace<T> &w,
             const int64_t *chosen, int64_t first, int64_t m, double scale, const T *theta, T *grad, bool more,
             Random *random) {
    const int64_t L = w.L, *n = w.n, d = n[0];
    const double *dropout = shape.dropout.data();
    const T *input = forward(rows, shape, w, chosen, first, m, theta, random);
    const double loss =
        errors(shape.scoring(), targets, chosen, first, m, w.a[L].data(), theta + w.b[L - 1], w.delta[L].data(), scale);
    if (!more) std::fill(grad + w.b[0], grad + shape.parameters(), T(0));
    for (int64_t l = L - 1; l >= 0; --l) {
        T *delta = w.delta[l + 1].data();
        if (l + 1 < L && random && dropout[l + 1] > 0) {  // a = f(z) kept / (1 - share): undo the scale before f'
            const T grown = T(1 / (1 - dropout[l + 1]));
            for (int64_t i = 0; i < m * n[l + 1]; ++i)
                delta[i] *= w.kept[l + 1][i] ? grown : T(0),
                    w.a[l + 1][i] = w.kept[l + 1][i] ? w.a[l + 1][i] / grown : T(0);
        }
        const bool hidden = l + 1 < L, by_rows = hidden && shape.normalization == OF_ROW;
        slope(hidden ? shape.activations.data()[l] : int64_t(IDENTITY), delta, w.a[l + 1].data(),
              grad + (by_rows ? w.mean[l + 1] : w.b[l]), m, n[l + 1]);
        if (by_rows)
            back_rows(delta, w.z[l + 1].data(), w.spread[l + 1].data(), theta + w.gain[l + 1], grad + w.gain[l + 1],
                      grad + w.b[l], m, n[l + 1]);
        else if (hidden && shape.normalization == OF_BATCH)
            back(delta, w.z[l + 1].data(), w.spread[l + 1].data(), theta + w.gain[l + 1], grad + w.gain[l + 1],
                 w.sums.data(), random != nullptr, m, n[l + 1]);
        T *to = grad + w.W[l];
        if (l > 0 || rows.dense) {
            const T *from = l ? w.a[l].data() : input;
            multiply<T>(w.g, true, false, n[l], n[l + 1], m, from, delta, more ? T(1) : T(0), to);
        } else {
            if (!more) std::fill(to, to + d * n[1], T(0));
            for (int64_t i = 0; i < m; ++i) {
                const int64_t row = chosen ? chosen[i] : first + i;
                for (int64_t e = rows.start->data()[row]; e < rows.start->data()[row + 1]; ++e)
                    add(to + rows.column->data()[e] * n[1], delta + i * n[1], rows.value->data()[e], n[1]);
            }
        }
        if (l > 0) multiply<T>(w.g, false, true, m, n[l], n[l + 1], delta, theta + w.W[l], 0, w.delta[l].data());
    }
    if (rows.codes) embed_back(rows, shape, w, chosen, first, m, theta, grad);
    return loss;
}

// ------------------------------------------------------------------ steps

template <class T> void fit_together(const DenseRows<T> &rows, const DenseShape &shape, int64_t size) {
    require(rows.categories() == length(shape.levels), "dense_net: columns of categories");
    require(rows.d + shape.embedded() == shape.sizes.data()[0], "dense_net: the columns of the rows");
    require(rows.dense || shape.dropout.data()[0] == 0, "dense_net: sparse inputs are not left out");
    require(size == shape.parameters(), "dense_net: parameters");
    for (int64_t j = 0; j < rows.categories(); ++j)
        require(rows.levels->data()[j] == shape.levels.data()[j], "dense_net: tables of categories");
}

// The running means and variances after a batch.
template <class T> void remember(const Workspace<T> &w, T *theta) {
    for (int64_t l = 1; l < w.L; ++l)
        for (int64_t j = 0; j < w.n[l]; ++j) {
            T &mean = theta[w.mean[l] + j], &var = theta[w.var[l] + j];
            mean = T(REMEMBERED) * mean + T(1 - REMEMBERED) * w.center[l][j];
            var = T(REMEMBERED) * var + T(1 - REMEMBERED) * w.variance[l][j];
        }
}

// One pass in batches of `most` rows; the rates are those of the batches. Returns the mean of the batches' objectives.
template <class T>
double epoch(const DenseRows<T> &rows, const Targets<T> &targets, const DenseShape &shape, const Rule &rule,
             In1<int64_t> order,   // in      (n,) rows to visit
             int64_t most,         // rows of a batch
             In1<double> rates,    // in      (batches,)
             InOut1<T> theta,      // in/out  parameters
             InOut1<T> moment,     // in/out  velocities, or means of gradients
             InOut1<T> square,     // in/out  means of their squares
             int64_t t,            // steps before
             uint64_t seed) {      // of the units left out
    const int64_t n = length(order), size = length(theta), weights = shape.weights();
    fit_together(rows, shape, size);
    shape.scoring().fits(targets, rows.n);
    require(length(moment) == size && length(square) == size, "epoch: moments");
    require(most >= 1 && most < MOST_UNITS && within(order, 0, rows.n), "epoch: rows to visit");
    require(length(rates) == (n + most - 1) / most, "epoch: one rate a batch");
    require(t >= 0, "epoch: steps");
    const auto g = gemm<T>();
    nb::gil_scoped_release unlocked;
    Workspace<T> work(g, shape, n < most ? n : most);
    std::vector<T> grad(size);
    double objective = 0;
    for (int64_t at = 0, k = 0; at < n; at += most, ++k) {
        const int64_t m = n - at < most ? n - at : most, *chosen = order.data() + at;
        const double total = total_weight(targets, chosen, 0, m), share = total > 0 ? 1 / total : 0.0;
        Random random(seed, uint64_t(t));  // of each step, so that a pass may be made in parts
        const double loss =
            batch(rows, targets, shape, work, chosen, 0, m, share, theta.data(), grad.data(), false, &random);
        const bool decoupled = rule.optimizer == ADAMW;
        objective +=
            (loss * share + (decoupled ? 0.0 : 0.5 * rule.alpha * share * squares(theta.data(), weights))) * double(m);
        double rate = rates.data()[k];
        ++t;
        const double plain = rate;
        if (rule.optimizer == ADAM || decoupled)
            rate *= std::sqrt(1 - std::pow(rule.second, double(t))) / (1 - std::pow(rule.first, double(t)));
        Step step{rate, decoupled ? 0.0 : rule.alpha * share, decoupled ? plain * rule.alpha : 0.0, 1.0};
        if (rule.clip > 0) {
            const double length = std::sqrt(squares(grad.data(), size));
            if (length > rule.clip) step.scale = rule.clip / length;
        }
        move(rule, step, weights, theta.data(), moment.data(), square.data(), grad.data());
        step.decay = step.shrink = 0;
        move(rule, step, size - weights, theta.data() + weights, moment.data() + weights, square.data() + weights,
             grad.data() + weights);
        if (shape.normalization == OF_BATCH && m > 1) remember(work, theta.data());
    }
    return n ? objective / double(n) : 0.0;
}

// Objective and gradient over all rows, added up in chunks.
template <class T>
double value_gradient(const DenseRows<T> &rows, const Targets<T> &targets, const DenseShape &shape, double alpha,
                      In1<T> theta, InOut1<T> grad) {
    const int64_t size = length(theta), weights = shape.weights(), n = rows.n;
    fit_together(rows, shape, size);
    shape.scoring().fits(targets, rows.n);
    require(length(grad) == size, "value_gradient: gradient");
    const auto g = gemm<T>();
    nb::gil_scoped_release unlocked;
    Workspace<T> work(g, shape, n < CHUNK ? n : CHUNK);
    const double total = total_weight(targets, nullptr, 0, n), share = total > 0 ? 1 / total : 0.0;
    double loss = 0;
    if (n == 0) std::fill(grad.data(), grad.data() + size, T(0));
    for (int64_t at = 0; at < n; at += CHUNK)
        loss += batch<T>(rows, targets, shape, work, nullptr, at, n - at < CHUNK ? n - at : CHUNK, share, theta.data(),
                         grad.data(), at > 0, nullptr);
    add(grad.data(), theta.data(), T(alpha * share), weights);
    return loss * share + 0.5 * alpha * share * squares(theta.data(), weights);
}

// Scores of the outputs of some rows, with the units left out that step t + 1 of `epoch` leaves out, if t is given.
template <class T>
void scores(const DenseRows<T> &rows, const DenseShape &shape, In1<int64_t> chosen, In1<T> theta,
            std::optional<int64_t> t, uint64_t seed, InOut2<T> out) {
    const int64_t m = length(chosen), K = shape.sizes.data()[shape.layers()];
    fit_together(rows, shape, length(theta));
    require(m < MOST_UNITS && within(chosen, 0, rows.n) && (!t || *t >= 0), "scores: rows to visit");
    require(int64_t(out.shape(0)) == m && int64_t(out.shape(1)) == K, "scores: as many as rows and outputs");
    const auto g = gemm<T>();
    nb::gil_scoped_release unlocked;
    Workspace<T> work(g, shape, m);
    Random random(seed, uint64_t(t.value_or(0)));
    forward(rows, shape, work, chosen.data(), 0, m, theta.data(), t ? &random : nullptr);
    activate(IDENTITY, work.a[work.L].data(), theta.data() + work.b[work.L - 1], m, K);
    std::copy(work.a[work.L].begin(), work.a[work.L].begin() + m * K, out.data());
}

template <class T> void offer(nb::module_ &m, const char *rows, const char *targets, const char *pass,
                              const char *gradient, const char *outputs) {
    record<DenseRows<T>>(m, rows, field("dense", &DenseRows<T>::dense), field("value", &DenseRows<T>::value),
                         field("column", &DenseRows<T>::column), field("start", &DenseRows<T>::start),
                         field("codes", &DenseRows<T>::codes), field("levels", &DenseRows<T>::levels),
                         field("n", &DenseRows<T>::n), field("d", &DenseRows<T>::d));
    record<Targets<T>>(m, targets, field("codes", &Targets<T>::codes), field("numbers", &Targets<T>::numbers),
                       field("weight", &Targets<T>::weight), field("smoothing", &Targets<T>::smoothing));
    define(m, pass, &epoch<T>, "rows", "targets", "shape", "rule", "order", "most", "rates", "theta", "moment",
           "square", "t", "seed");
    define(m, gradient, &value_gradient<T>, "rows", "targets", "shape", "alpha", "theta", "grad");
    define(m, outputs, &scores<T>, "rows", "shape", "chosen", "theta", "t", "seed", "out");
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<DenseShape>(m, "Shape", field("sizes", &DenseShape::sizes), field("activations", &DenseShape::activations),
                       field("dropout", &DenseShape::dropout), field("output", &DenseShape::output),
                       field("loss", &DenseShape::loss), field("parameter", &DenseShape::parameter),
                       field("divisor", &DenseShape::divisor), field("normalization", &DenseShape::normalization),
                       field("levels", &DenseShape::levels), field("category_width", &DenseShape::category_width));
    record<Rule>(m, "Rule", field("optimizer", &Rule::optimizer), field("alpha", &Rule::alpha),
                 field("first", &Rule::first), field("second", &Rule::second), field("epsilon", &Rule::epsilon),
                 field("clip", &Rule::clip));
    offer<double>(m, "Rows64", "Targets64", "epoch64", "gradient64", "scores64");
    offer<float>(m, "Rows32", "Targets32", "epoch32", "gradient32", "scores32");
}
