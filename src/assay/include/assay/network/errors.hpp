// What networks are taught: targets of rows, and the errors of output units.
#pragma once
#include <cmath>
#include <limits>
#include <optional>

#include "assay/network/activations.hpp"
#include "assay/edge.hpp"

namespace assay {

enum Output { OUT_IDENTITY, OUT_LOGISTIC, OUT_SOFTMAX, OUT_EXP, OUTPUTS };
enum Loss { SQUARED, LOG, POISSON, ABSOLUTE, HUBER, QUANTILE, FOCAL, HINGE, GIVEN, LOSSES };  // GIVEN: by its slopes

template <class T> struct Targets {  // a class for each row, or K numbers
    std::optional<In1<int32_t>> codes;
    std::optional<In2<T>> numbers;
    std::optional<In1<T>> weight;
    double smoothing;  // share of the probability that goes to all classes alike
};

struct Scoring {  // what the outputs are, and what an error of them costs
    int64_t output, loss, K;
    double parameter;  // of the loss: where Huber's turns, which quantile, the power of the focal loss
    double divisor;    // of the losses of numbers: 1 for their sum over the outputs

    void check() const {
        require(output >= 0 && output < OUTPUTS && loss >= 0 && loss < LOSSES, "Scoring: output and loss");
        require(divisor > 0, "Scoring: divisor");
        const bool of_classes = loss == LOG || loss == FOCAL || loss == HINGE;
        require(of_classes == (output == OUT_LOGISTIC || output == OUT_SOFTMAX), "Scoring: output of this loss");
        require((loss == POISSON) == (output == OUT_EXP), "Scoring: output of this loss");
    }
    template <class T> void fits(const Targets<T> &t, int64_t n) const {
        require(!t.weight || length(*t.weight) == n, "targets: one weight a row");
        require(t.smoothing >= 0 && t.smoothing < 1, "targets: smoothing is a share below 1");
        if (output == OUT_SOFTMAX)
            require(t.codes && length(*t.codes) == n && within(*t.codes, 0, K), "targets: classes of the rows");
        else
            require(t.numbers && int64_t(t.numbers->shape(0)) == n && int64_t(t.numbers->shape(1)) == K,
                    "targets: numbers of the rows");
    }
};

// Focal loss -(1 - p)^g log p of the probability p of the true class (Lin et al. 2017); `slope` is p dL/dp.
struct Focal {
    double loss, slope;
};
inline Focal focal(double p, double g) {
    const double rest = 1 - p, logarithm = std::log(p), power = std::pow(rest, g);
    return {-power * logarithm, (rest > 0 ? g * p * power / rest * logarithm : 0.0) - power};
}

// Errors of the output units (m, K) from scores in `a` (activated in place), and the sum of the weighted losses.
template <class T>
__attribute__((always_inline)) inline double errors_as(const Scoring &scoring, const Targets<T> &t, const int64_t *rows,
                                                       int64_t first, int64_t m, T *a, const T *b, T *delta,
                                                       double scale) {
    const int64_t K = scoring.K;
    const double tiny = sizeof(T) == 8 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
    double total = 0;
    const T *weight = data_or_null(t.weight);
    for (int64_t i = 0; i < m; ++i) {
        const int64_t row = rows ? rows[i] : first + i;
        T *r = a + i * K, *e = delta + i * K;
        const double v = weight ? double(weight[row]) : 1.0;
        double loss = 0;
        if (scoring.output == OUT_SOFTMAX) {
            double top = -std::numeric_limits<double>::infinity(), sum = 0;
            for (int64_t j = 0; j < K; ++j) r[j] += b[j], top = r[j] > top ? double(r[j]) : top;
            const int64_t c = t.codes->data()[row];
            int64_t rival = c;  // hinge of Crammer and Singer: max(0, 1 + the best other score - that of the class)
            double margin = 0;
            if (scoring.loss == HINGE && K > 1) {
                rival = c == 0 ? 1 : 0;
                for (int64_t j = 0; j < K; ++j)
                    if (j != c && r[j] > r[rival]) rival = j;
                margin = 1 + double(r[rival]) - double(r[c]);
            }
            for (int64_t j = 0; j < K; ++j) r[j] = T(exponential(double(r[j]) - top)), sum += r[j];
            if (scoring.loss != LOG) {
                const double p = double(r[c]) / sum;
                const auto [cost, slope] = focal(p < tiny ? tiny : p, scoring.parameter);
                loss = scoring.loss == FOCAL ? cost : (margin > 0 ? margin : margin != margin ? margin : 0.0);
                for (int64_t j = 0; j < K; ++j) {
                    r[j] = T(double(r[j]) / sum);
                    e[j] = scoring.loss == FOCAL ? T(slope * ((j == c) - double(r[j])) * v * scale) : T(0);
                }
                if (margin > 0) e[rival] = T(v * scale), e[c] = T(-v * scale);
                total += v * loss;
                continue;
            }
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
                if (scoring.output == OUT_LOGISTIC && scoring.loss == FOCAL) {
                    p = logistic(s);
                    const double sign = y > 0.5 ? 1 : -1, right = logistic(sign * s);
                    const auto [cost, slope] = focal(right < tiny ? tiny : right, scoring.parameter);
                    error = sign * slope * (1 - right), loss += cost;
                } else if (scoring.output == OUT_LOGISTIC && scoring.loss == HINGE) {
                    const double sign = y > 0.5 ? 1 : -1, margin = 1 - sign * s;
                    p = logistic(s), error = margin > 0 ? -sign : 0.0;
                    loss += margin > 0 ? margin : margin != margin ? margin : 0.0;
                } else if (scoring.output == OUT_LOGISTIC) {
                    p = logistic(s), error = p - y;
                    const double q = p < tiny ? tiny : (p > 1 - tiny ? 1 - tiny : p);
                    if (y > 0) loss -= y * std::log(q);
                    if (y < 1) loss -= (1 - y) * std::log(1 - q);
                } else if (scoring.output == OUT_EXP) {
                    p = std::exp(s), error = p - y;
                    loss += (y > 0 ? y * std::log(y / p) : 0.0) - y + p;
                } else {
                    const double residual = s - y, size = std::fabs(residual), q = scoring.parameter;
                    switch (scoring.loss) {
                        case ABSOLUTE:
                            error = residual > 0 ? 1.0 : (residual < 0 ? -1.0 : residual),
                            loss += size / scoring.divisor;
                            break;
                        case HUBER:
                            error = size <= q ? residual : (residual > 0 ? q : -q);
                            loss += (size <= q ? residual * residual / 2 : q * (size - q / 2)) / scoring.divisor;
                            break;
                        case QUANTILE:
                            error = residual > 0 ? 1 - q : (residual < 0 ? -q : residual),
                            loss += (residual > 0 ? (1 - q) * size : q * size) / scoring.divisor;
                            break;
                        case GIVEN: error = y; break;  // the targets are the slopes
                        default: error = residual, loss += residual * residual / (2 * scoring.divisor);
                    }
                }
                r[j] = T(p), e[j] = T(error * v * scale);
            }
        }
        total += v * loss;
    }
    return total;
}
[[maybe_unused]] HOT static double errors(const Scoring &s, const Targets<double> &t, const int64_t *rows,
                                          int64_t first, int64_t m, double *a, const double *b, double *d,
                                          double scale) {
    return errors_as(s, t, rows, first, m, a, b, d, scale);
}
[[maybe_unused]] HOT static double errors(const Scoring &s, const Targets<float> &t, const int64_t *rows, int64_t first,
                                          int64_t m, float *a, const float *b, float *d, double scale) {
    return errors_as(s, t, rows, first, m, a, b, d, scale);
}

template <class T> double total_weight(const Targets<T> &t, const int64_t *rows, int64_t first, int64_t m) {
    const T *weight = data_or_null(t.weight);
    if (!weight) return double(m);
    double total = 0;
    for (int64_t i = 0; i < m; ++i) total += double(weight[rows ? rows[i] : first + i]);
    return total;
}

}  // namespace assay
