// Steps of optimisers along gradients.
#pragma once
#include <cmath>

#include "assay/array.hpp"

namespace assay {

enum Optimizer { SGD, NESTEROV, ADAM, ADAMW, RMSPROP, OPTIMIZERS };

struct Rule {  // of the steps
    int64_t optimizer;
    double alpha, first, second, epsilon, clip;  // clip: longest gradient, 0 for any

    void check() const {
        require(optimizer >= 0 && optimizer < OPTIMIZERS, "Rule: optimizer");
        require(alpha >= 0 && first >= 0 && second >= 0 && epsilon > 0 && clip >= 0, "Rule: numbers from 0 up");
    }
};

template <class T> __attribute__((always_inline)) inline double squares_of(const T *a, int64_t n) {
    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) lane[k] += double(a[i + k]) * double(a[i + k]);
    for (; i < n; ++i) lane[0] += double(a[i]) * double(a[i]);
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}
[[maybe_unused]] HOT static double squares(const double *a, int64_t n) { return squares_of(a, n); }
[[maybe_unused]] HOT static double squares(const float *a, int64_t n) { return squares_of(a, n); }

struct Step {
    double rate, decay, shrink, scale;  // decay joins the gradient, shrink the weight itself; scale clips
};

template <class T>
__attribute__((always_inline)) inline void moved(const Rule &rule, const Step &step, int64_t n, T *__restrict w,
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
[[maybe_unused]] HOT static void move(const Rule &r, const Step &s, int64_t n, double *w, double *p, double *q,
                                      const double *g) {
    moved(r, s, n, w, p, q, g);
}
[[maybe_unused]] HOT static void move(const Rule &r, const Step &s, int64_t n, float *w, float *p, float *q,
                                      const float *g) {
    moved(r, s, n, w, p, q, g);
}

}  // namespace assay
