// Dense networks: a pass over the rows in batches, and the gradient over all rows.
//
//     a_0 = x,   a_l = f_l(a_{l-1} W_l + b_l),   E = (1/m) sum_i v_i loss(y_i, a_L) + alpha/(2m) sum_l |W_l|^2
//
// For each batch: gather the rows, multiply (BLAS), add bias and activation in one sweep, errors of the output,
// multiply back, and one step of the optimiser over the flat vector of all parameters (all W_l, then all b_l). BLAS is
// SciPy's, reached through the capsules of scipy.linalg.cython_blas. Twin in NumPy: tests/neural/test_dense_net.py.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno")  // a square root sets no error, so that several are taken at once
#endif
#include <nanobind/stl/optional.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"
#include "assay/random.hpp"

using namespace assay;

namespace {

// ------------------------------------------------------------------ BLAS of SciPy

template <class T>
using Gemm = void (*)(char *, char *, int *, int *, int *, T *, T *, int *, T *, int *, T *, T *, int *);

template <class T> Gemm<T> scipy_gemm(const char *name) {
    nb::object table = nb::module_::import_("scipy.linalg.cython_blas").attr("__pyx_capi__");
    nb::object capsule = table[name];
    const char *signature = PyCapsule_GetName(capsule.ptr());
    require(signature && std::string(signature).rfind("void (char *, char *, int *, int *, int *,", 0) == 0,
            "dense_net: SciPy's BLAS has another signature than expected");
    return reinterpret_cast<Gemm<T>>(PyCapsule_GetPointer(capsule.ptr(), signature));
}
template <class T> Gemm<T> gemm();
template <> Gemm<double> gemm<double>() {
    static const auto kept = scipy_gemm<double>("dgemm");
    return kept;
}
template <> Gemm<float> gemm<float>() {
    static const auto kept = scipy_gemm<float>("sgemm");
    return kept;
}

// C (m, n) = A (m, k) B (k, n) + beta C, row by row; transposed where said. A and B are stored as their shapes say
// before.
template <class T>
void multiply(Gemm<T> g, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T *A, const T *B, T beta, T *C) {
    if (m == 0 || n == 0) return;
    char left = tb ? 'T' : 'N', right = ta ? 'T' : 'N';
    int M = int(n), N = int(m), K = int(k), lda = int(tb ? k : n), ldb = int(ta ? m : k), ldc = int(n);
    T one = 1;
    g(&left, &right, &M, &N, &K, &one, const_cast<T *>(B), &lda, const_cast<T *>(A), &ldb, &beta, C, &ldc);
}

// ------------------------------------------------------------------ activations, with derivatives by their values

enum Activation { IDENTITY, LOGISTIC, TANH, RELU, LEAKY_RELU, ELU, SELU, SOFTPLUS, ACTIVATIONS };
enum Output { OUT_IDENTITY, OUT_LOGISTIC, OUT_SOFTMAX, OUT_EXP, OUTPUTS };
enum Loss { SQUARED, LOG, POISSON, ABSOLUTE, HUBER, QUANTILE, LOSSES };
enum Optimizer { SGD, NESTEROV, ADAM, ADAMW, RMSPROP, OPTIMIZERS };

constexpr double LEAK = 0.01;
constexpr double SELU_SCALE = 1.0507009873554804934, SELU_ALPHA = 1.6732632423543772848;
constexpr int64_t CHUNK = 1024;           // rows at a time while the gradient of all rows is added up
constexpr int64_t MOST_UNITS = 1 << 24;   // of a layer: BLAS counts with 32 bits
constexpr int64_t MOST_LAYERS = 4096;    // so that no count of weights overflows

__attribute__((always_inline)) inline double logistic(double x) { return 1.0 / (1.0 + exponential(-x)); }

template <class T, int A> __attribute__((always_inline)) inline void activated(T *z, const T *b, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; ++i) {
        T *r = z + i * n;
        for (int64_t j = 0; j < n; ++j) {
            const T x = r[j] + b[j];
            if constexpr (A == IDENTITY) r[j] = x;
            else if constexpr (A == LOGISTIC) r[j] = T(logistic(x));
            else if constexpr (A == TANH) r[j] = T(1.0 - 2.0 / (exponential(2.0 * double(x)) + 1.0));
            else if constexpr (A == RELU) r[j] = x > 0 ? x : (x != x ? x : T(0));
            else if constexpr (A == LEAKY_RELU) r[j] = x > 0 ? x : T(LEAK) * x;
            else if constexpr (A == ELU) r[j] = x > 0 ? x : T(exponential(x) - 1.0);
            else if constexpr (A == SELU)
                r[j] = x > 0 ? T(SELU_SCALE) * x : T(SELU_SCALE * SELU_ALPHA * (exponential(x) - 1.0));
            else r[j] = x > 30 ? x : T(std::log1p(std::exp(double(x))));
        }
    }
}

// delta *= f'(a), and the sums of its columns.
template <class T, int A>
__attribute__((always_inline)) inline void sloped(T *delta, const T *a, T *sums, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; ++i) {
        T *r = delta + i * n;
        const T *z = a + i * n;
        for (int64_t j = 0; j < n; ++j) {
            T x = r[j];
            if constexpr (A == LOGISTIC) x *= z[j] * (1 - z[j]);
            else if constexpr (A == TANH) x *= 1 - z[j] * z[j];
            else if constexpr (A == RELU) x = z[j] == 0 ? T(0) : x;
            else if constexpr (A == LEAKY_RELU) x *= z[j] > 0 ? T(1) : T(LEAK);
            else if constexpr (A == ELU) x *= z[j] > 0 ? T(1) : z[j] + 1;
            else if constexpr (A == SELU) x *= z[j] > 0 ? T(SELU_SCALE) : z[j] + T(SELU_SCALE * SELU_ALPHA);
            else if constexpr (A == SOFTPLUS) x *= T(1.0 - exponential(-double(z[j])));
            r[j] = x;
            sums[j] += x;
        }
    }
}

template <class T> __attribute__((always_inline)) inline void activate_as(int64_t kind, T *z, const T *b, int64_t m,
                                                                          int64_t n) {
    switch (kind) {
        case LOGISTIC: return activated<T, LOGISTIC>(z, b, m, n);
        case TANH: return activated<T, TANH>(z, b, m, n);
        case RELU: return activated<T, RELU>(z, b, m, n);
        case LEAKY_RELU: return activated<T, LEAKY_RELU>(z, b, m, n);
        case ELU: return activated<T, ELU>(z, b, m, n);
        case SELU: return activated<T, SELU>(z, b, m, n);
        case SOFTPLUS: return activated<T, SOFTPLUS>(z, b, m, n);
        default: return activated<T, IDENTITY>(z, b, m, n);
    }
}
template <class T>
__attribute__((always_inline)) inline void slope_as(int64_t kind, T *d, const T *a, T *sums, int64_t m, int64_t n) {
    switch (kind) {
        case LOGISTIC: return sloped<T, LOGISTIC>(d, a, sums, m, n);
        case TANH: return sloped<T, TANH>(d, a, sums, m, n);
        case RELU: return sloped<T, RELU>(d, a, sums, m, n);
        case LEAKY_RELU: return sloped<T, LEAKY_RELU>(d, a, sums, m, n);
        case ELU: return sloped<T, ELU>(d, a, sums, m, n);
        case SELU: return sloped<T, SELU>(d, a, sums, m, n);
        case SOFTPLUS: return sloped<T, SOFTPLUS>(d, a, sums, m, n);
        default: return sloped<T, IDENTITY>(d, a, sums, m, n);
    }
}
HOT void activate(int64_t kind, double *z, const double *b, int64_t m, int64_t n) { activate_as(kind, z, b, m, n); }
HOT void activate(int64_t kind, float *z, const float *b, int64_t m, int64_t n) { activate_as(kind, z, b, m, n); }
HOT void slope(int64_t kind, double *d, const double *a, double *s, int64_t m, int64_t n) {
    slope_as(kind, d, a, s, m, n);
}
HOT void slope(int64_t kind, float *d, const float *a, float *s, int64_t m, int64_t n) {
    slope_as(kind, d, a, s, m, n);
}

// ------------------------------------------------------------------ what is learned from

template <class T> struct DenseRows {  // dense, or three arrays of a sparse table
    std::optional<In2<T>> dense;
    std::optional<In1<T>> value;
    std::optional<In1<int32_t>> column;
    std::optional<In1<int64_t>> start;
    int64_t n, d;

    void check() const {
        require(n >= 0 && d >= 1, "Rows: sizes");
        if (dense) require(int64_t(dense->shape(0)) == n && int64_t(dense->shape(1)) == d, "Rows: shape");
        else require(value && column && start && are_rows(*value, *column, *start, n, d), "Rows: sparse rows");
    }
};

template <class T> struct DenseTargets {  // a class for each row, or K numbers
    std::optional<In1<int32_t>> codes;
    std::optional<In2<T>> numbers;
    std::optional<In1<T>> weight;
    double smoothing;  // share of the probability that goes to all classes alike
};

struct DenseShape {  // of the network
    In1<int64_t> sizes;        // (L + 1,) of the layers, columns of the table first
    In1<int64_t> activations;  // (L - 1,) of the hidden layers
    In1<double> dropout;       // (L,) share of the inputs of each layer that is left out while learning
    int64_t output, loss;
    double parameter;  // of the loss: where Huber's turns, or which quantile
    double divisor;    // of the losses of numbers: 1 for their sum over the outputs

    int64_t layers() const { return length(sizes) - 1; }
    void check() const {
        require(length(sizes) >= 2 && length(sizes) <= MOST_LAYERS, "DenseShape: layers");
        require(within(sizes, 1, MOST_UNITS), "DenseShape: sizes");
        require(length(activations) == layers() - 1 && within(activations, 0, ACTIVATIONS), "DenseShape: activations");
        require(length(dropout) == layers(), "DenseShape: dropout");
        for (int64_t l = 0; l < layers(); ++l)
            require(dropout.data()[l] >= 0 && dropout.data()[l] < 1, "DenseShape: dropout is a share below 1");
        require(output >= 0 && output < OUTPUTS && loss >= 0 && loss < LOSSES, "DenseShape: output and loss");
        require(divisor > 0, "DenseShape: divisor");
        require((loss == LOG) == (output == OUT_LOGISTIC || output == OUT_SOFTMAX), "DenseShape: output of this loss");
        require((loss == POISSON) == (output == OUT_EXP), "DenseShape: output of this loss");
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
};

struct DenseRule {  // of the steps
    int64_t optimizer;
    double alpha, first, second, epsilon, clip;  // clip: longest gradient, 0 for any

    void check() const {
        require(optimizer >= 0 && optimizer < OPTIMIZERS, "DenseRule: optimizer");
        require(alpha >= 0 && first >= 0 && second >= 0 && epsilon > 0 && clip >= 0, "DenseRule: numbers from 0 up");
    }
};

// ------------------------------------------------------------------ one batch

template <class T> struct Workspace {
    Gemm<T> g;
    int64_t L, most;
    const int64_t *n;
    std::vector<std::vector<T>> a, delta;
    std::vector<std::vector<uint8_t>> kept;
    std::vector<int64_t> W, b;  // where each layer's begin

    Workspace(Gemm<T> g, const DenseShape &shape, int64_t most)
        : g(g), L(shape.layers()), most(most), n(shape.sizes.data()), a(L + 1), delta(L + 1), kept(L), W(L), b(L) {
        int64_t at = 0;
        for (int64_t l = 0; l < L; ++l) W[l] = at, at += n[l] * n[l + 1];
        for (int64_t l = 0; l < L; ++l) b[l] = at, at += n[l + 1];
        for (int64_t l = 0; l <= L; ++l) {
            a[l].resize(sized(most, n[l], "dense_net: batch"));
            if (l) delta[l].resize(most * n[l]);
            if (l < L && shape.dropout.data()[l] > 0) kept[l].resize(most * n[l]);
        }
    }
};

template <class T> void leave_out(std::vector<T> &a, std::vector<uint8_t> &kept, int64_t size, double share,
                                  Random &random) {
    const T grown = T(1 / (1 - share));
    for (int64_t i = 0; i < size; ++i) {
        kept[i] = random.uniform() >= share;
        a[i] = kept[i] ? a[i] * grown : T(0);
    }
}

// Errors of the output units (m, K) from scores in `a` (activated in place), and the sum of the weighted losses.
template <class T>
__attribute__((always_inline)) inline double errors_as(const DenseShape &shape, const DenseTargets<T> &t,
                                                       const int64_t *rows, int64_t first, int64_t m, T *a, const T *b,
                                                       T *delta, double scale) {
    const int64_t K = shape.sizes.data()[shape.layers()];
    const double tiny = sizeof(T) == 8 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
    double total = 0;
    const T *weight = data_or_null(t.weight);
    for (int64_t i = 0; i < m; ++i) {
        const int64_t row = rows ? rows[i] : first + i;
        T *r = a + i * K, *e = delta + i * K;
        const double v = weight ? double(weight[row]) : 1.0;
        double loss = 0;
        if (shape.output == OUT_SOFTMAX) {
            double top = -std::numeric_limits<double>::infinity(), sum = 0;
            for (int64_t j = 0; j < K; ++j) r[j] += b[j], top = r[j] > top ? double(r[j]) : top;
            for (int64_t j = 0; j < K; ++j) r[j] = T(exponential(double(r[j]) - top)), sum += r[j];
            const int64_t c = t.codes->data()[row];
            const double high = 1 - t.smoothing, low = t.smoothing / double(K);
            for (int64_t j = 0; j < K; ++j) {
                const double p = double(r[j]) / sum, goal = low + (j == c ? high : 0.0);
                r[j] = T(p), e[j] = T((p - goal) * v * scale);
                if (goal > 0) loss -= goal * std::log(p < tiny ? tiny : (p > 1 - tiny ? 1 - tiny : p));
            }
        } else {
            const T *goal = t.numbers->data() + row * K;
            for (int64_t j = 0; j < K; ++j) {
                const double s = double(r[j] + b[j]), y = double(goal[j]);
                double p = s, error;
                if (shape.output == OUT_LOGISTIC) {
                    p = logistic(s), error = p - y;
                    const double q = p < tiny ? tiny : (p > 1 - tiny ? 1 - tiny : p);
                    if (y > 0) loss -= y * std::log(q);
                    if (y < 1) loss -= (1 - y) * std::log(1 - q);
                } else if (shape.output == OUT_EXP) {
                    p = std::exp(s), error = p - y;
                    loss += (y > 0 ? y * std::log(y / p) : 0.0) - y + p;
                } else {
                    const double residual = s - y, size = std::fabs(residual), q = shape.parameter;
                    switch (shape.loss) {
                        case ABSOLUTE:
                            error = residual > 0 ? 1.0 : (residual < 0 ? -1.0 : residual), loss += size / shape.divisor;
                            break;
                        case HUBER:
                            error = size <= q ? residual : (residual > 0 ? q : -q);
                            loss += (size <= q ? residual * residual / 2 : q * (size - q / 2)) / shape.divisor;
                            break;
                        case QUANTILE:
                            error = residual > 0 ? 1 - q : (residual < 0 ? -q : residual),
                            loss += (residual > 0 ? (1 - q) * size : q * size) / shape.divisor;
                            break;
                        default: error = residual, loss += residual * residual / (2 * shape.divisor);
                    }
                }
                r[j] = T(p), e[j] = T(error * v * scale);
            }
        }
        total += v * loss;
    }
    return total;
}
HOT double errors(const DenseShape &s, const DenseTargets<double> &t, const int64_t *rows, int64_t first, int64_t m,
                  double *a, const double *b, double *d, double scale) {
    return errors_as(s, t, rows, first, m, a, b, d, scale);
}
HOT double errors(const DenseShape &s, const DenseTargets<float> &t, const int64_t *rows, int64_t first, int64_t m,
                  float *a, const float *b, float *d, double scale) {
    return errors_as(s, t, rows, first, m, a, b, d, scale);
}

template <class T> __attribute__((always_inline)) inline void add_scaled(T *to, const T *from, T factor, int64_t n) {
    for (int64_t j = 0; j < n; ++j) to[j] += factor * from[j];
}
HOT void add(double *to, const double *from, double factor, int64_t n) { add_scaled(to, from, factor, n); }
HOT void add(float *to, const float *from, float factor, int64_t n) { add_scaled(to, from, factor, n); }

// Loss and gradient of some rows; the gradient is added to `grad` if `more`, else written. Errors are times `scale`.
template <class T>
double batch(const DenseRows<T> &rows, const DenseTargets<T> &targets, const DenseShape &shape, Workspace<T> &w,
             const int64_t *chosen, int64_t first, int64_t m, double scale, const T *theta, T *grad, bool more,
             Random *random) {
    const int64_t L = w.L, *n = w.n, d = n[0];
    const T *input = nullptr;
    const double *dropout = shape.dropout.data();
    const bool drops = random && dropout[0] > 0;
    if (rows.dense) {
        if (chosen || drops) {
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
        activate(shape.activations.data()[l - 1], w.a[l].data(), theta + w.b[l - 1], m, n[l]);
        if (random && dropout[l] > 0) leave_out(w.a[l], w.kept[l], m * n[l], dropout[l], *random);
        multiply<T>(w.g, false, false, m, n[l + 1], n[l], w.a[l].data(), theta + w.W[l], 0, w.a[l + 1].data());
    }
    const double loss =
        errors(shape, targets, chosen, first, m, w.a[L].data(), theta + w.b[L - 1], w.delta[L].data(), scale);
    if (!more) std::fill(grad + w.b[0], grad + w.b[L - 1] + n[L], T(0));
    for (int64_t l = L - 1; l >= 0; --l) {
        T *delta = w.delta[l + 1].data();
        if (l + 1 < L && random && dropout[l + 1] > 0) {  // a = f(z) kept / (1 - share): undo the scale before f'
            const T grown = T(1 / (1 - dropout[l + 1]));
            for (int64_t i = 0; i < m * n[l + 1]; ++i)
                delta[i] *= w.kept[l + 1][i] ? grown : T(0),
                    w.a[l + 1][i] = w.kept[l + 1][i] ? w.a[l + 1][i] / grown : T(0);
        }
        slope(l + 1 < L ? shape.activations.data()[l] : int64_t(IDENTITY), delta, w.a[l + 1].data(), grad + w.b[l], m,
              n[l + 1]);
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
    return loss;
}

// ------------------------------------------------------------------ steps

template <class T> __attribute__((always_inline)) inline double squares_of(const T *a, int64_t n) {
    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) lane[k] += double(a[i + k]) * double(a[i + k]);
    for (; i < n; ++i) lane[0] += double(a[i]) * double(a[i]);
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}
HOT double squares(const double *a, int64_t n) { return squares_of(a, n); }
HOT double squares(const float *a, int64_t n) { return squares_of(a, n); }

struct Step {
    double rate, decay, shrink, scale;  // decay joins the gradient, shrink the weight itself; scale clips
};

template <class T>
__attribute__((always_inline)) inline void moved(const DenseRule &rule, const Step &step, int64_t n, T *__restrict w,
                                                 T *__restrict p, T *__restrict q, const T *__restrict grad) {
    const T rate = T(step.rate), decay = T(step.decay), keep = T(1 - step.shrink), scale = T(step.scale);
    const T one = T(rule.first), two = T(rule.second), epsilon = T(rule.epsilon);
    const T less_one = T(1 - rule.first), less_two = T(1 - rule.second);
    if (rule.optimizer == SGD || rule.optimizer == NESTEROV) {
        const bool ahead = rule.optimizer == NESTEROV;
        for (int64_t i = 0; i < n; ++i) {
            const T g = (grad[i] + decay * w[i]) * scale;
            p[i] = one * p[i] - rate * g;
            w[i] += ahead ? one * p[i] - rate * g : p[i];
        }
    } else if (rule.optimizer == RMSPROP) {
        for (int64_t i = 0; i < n; ++i) {
            const T g = (grad[i] + decay * w[i]) * scale;
            q[i] = two * q[i] + less_two * g * g;
            w[i] -= rate * g / (std::sqrt(q[i]) + epsilon);
        }
    } else {
        for (int64_t i = 0; i < n; ++i) {
            const T g = (grad[i] + decay * w[i]) * scale;
            p[i] = one * p[i] + less_one * g;
            q[i] = two * q[i] + less_two * (g * g);
            w[i] = keep * w[i] - rate * p[i] / (std::sqrt(q[i]) + epsilon);
        }
    }
}
HOT void move(const DenseRule &r, const Step &s, int64_t n, double *w, double *p, double *q, const double *g) {
    moved(r, s, n, w, p, q, g);
}
HOT void move(const DenseRule &r, const Step &s, int64_t n, float *w, float *p, float *q, const float *g) {
    moved(r, s, n, w, p, q, g);
}

template <class T> double total_weight(const DenseTargets<T> &t, const int64_t *rows, int64_t first, int64_t m) {
    const T *weight = data_or_null(t.weight);
    if (!weight) return double(m);
    double total = 0;
    for (int64_t i = 0; i < m; ++i) total += double(weight[rows ? rows[i] : first + i]);
    return total;
}

template <class T> void fit_together(const DenseRows<T> &rows, const DenseTargets<T> &t, const DenseShape &shape,
                                     int64_t size) {
    const int64_t K = shape.sizes.data()[shape.layers()];
    require(rows.d == shape.sizes.data()[0], "dense_net: the columns of the rows");
    require(rows.dense || shape.dropout.data()[0] == 0, "dense_net: sparse inputs are not left out");
    require(!t.weight || length(*t.weight) == rows.n, "dense_net: one weight a row");
    require(t.smoothing >= 0 && t.smoothing < 1, "dense_net: smoothing is a share below 1");
    if (shape.output == OUT_SOFTMAX)
        require(t.codes && length(*t.codes) == rows.n && within(*t.codes, 0, K), "dense_net: classes of the rows");
    else
        require(t.numbers && int64_t(t.numbers->shape(0)) == rows.n && int64_t(t.numbers->shape(1)) == K,
                "dense_net: targets");
    require(size == shape.weights() + shape.biases(), "dense_net: parameters");
}

// One pass in batches of `most` rows; the rates are those of the batches. Returns the mean of the batches' objectives.
template <class T>
double epoch(const DenseRows<T> &rows, const DenseTargets<T> &targets, const DenseShape &shape, const DenseRule &rule,
             In1<int64_t> order,   // in      (n,) rows to visit
             int64_t most,         // rows of a batch
             In1<double> rates,    // in      (batches,)
             InOut1<T> theta,      // in/out  parameters
             InOut1<T> moment,     // in/out  velocities, or means of gradients
             InOut1<T> square,     // in/out  means of their squares
             int64_t t,            // steps before
             uint64_t seed) {      // of the units left out
    const int64_t n = length(order), size = length(theta), weights = shape.weights();
    fit_together(rows, targets, shape, size);
    require(length(moment) == size && length(square) == size, "epoch: moments");
    require(most >= 1 && most < MOST_UNITS && within(order, 0, rows.n), "epoch: rows to visit");
    require(length(rates) == (n + most - 1) / most, "epoch: one rate a batch");
    require(t >= 0, "epoch: steps");
    const auto g = gemm<T>();
    nb::gil_scoped_release unlocked;
    Workspace<T> work(g, shape, n < most ? n : most);
    std::vector<T> grad(size);
    Random random(seed, uint64_t(t));
    double objective = 0;
    for (int64_t at = 0, k = 0; at < n; at += most, ++k) {
        const int64_t m = n - at < most ? n - at : most, *chosen = order.data() + at;
        const double total = total_weight(targets, chosen, 0, m), share = total > 0 ? 1 / total : 0.0;
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
    }
    return n ? objective / double(n) : 0.0;
}

// Objective and gradient over all rows, added up in chunks.
template <class T>
double value_gradient(const DenseRows<T> &rows, const DenseTargets<T> &targets, const DenseShape &shape, double alpha,
                      In1<T> theta, InOut1<T> grad) {
    const int64_t size = length(theta), weights = shape.weights(), n = rows.n;
    fit_together(rows, targets, shape, size);
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

template <class T> void offer(nb::module_ &m, const char *rows, const char *targets, const char *pass,
                              const char *gradient) {
    record<DenseRows<T>>(m, rows, field("dense", &DenseRows<T>::dense), field("value", &DenseRows<T>::value),
                         field("column", &DenseRows<T>::column), field("start", &DenseRows<T>::start),
                         field("n", &DenseRows<T>::n), field("d", &DenseRows<T>::d));
    record<DenseTargets<T>>(m, targets, field("codes", &DenseTargets<T>::codes),
                            field("numbers", &DenseTargets<T>::numbers), field("weight", &DenseTargets<T>::weight),
                            field("smoothing", &DenseTargets<T>::smoothing));
    define(m, pass, &epoch<T>, "rows", "targets", "shape", "rule", "order", "most", "rates", "theta", "moment",
           "square", "t", "seed");
    define(m, gradient, &value_gradient<T>, "rows", "targets", "shape", "alpha", "theta", "grad");
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<DenseShape>(m, "Shape", field("sizes", &DenseShape::sizes), field("activations", &DenseShape::activations),
                       field("dropout", &DenseShape::dropout), field("output", &DenseShape::output),
                       field("loss", &DenseShape::loss), field("parameter", &DenseShape::parameter),
                       field("divisor", &DenseShape::divisor));
    record<DenseRule>(m, "Rule", field("optimizer", &DenseRule::optimizer), field("alpha", &DenseRule::alpha),
                      field("first", &DenseRule::first), field("second", &DenseRule::second),
                      field("epsilon", &DenseRule::epsilon), field("clip", &DenseRule::clip));
    offer<double>(m, "Rows64", "Targets64", "epoch64", "gradient64");
    offer<float>(m, "Rows32", "Targets32", "epoch32", "gradient32");
}
