// Profiles of kernels: k(u) of a length u = distance / h, 1 at 0 and falling (assay.densities.kernels, the same names).
//
// Those that never reach 0 are given relative to k(nearest), so that far from all rows something is left of them.
// Twin in NumPy: tests/smoothers/test_local_fits.py.
#pragma once
#include <cmath>
#include <cstdint>

#include "assay/exponential.hpp"

namespace assay {

enum Profile { GAUSSIAN, BOX, TRIANGULAR, EPANECHNIKOV, BIWEIGHT, TRIWEIGHT, TRICUBE, COSINE, EXPONENTIAL, LOGISTIC };

constexpr double NOTHING = 45.0;  // exp(-45) of the nearest row's weight counts as none: n = 1e6 such are 3e-14 of it

inline bool reaches_zero(int kind) { return kind >= BOX && kind <= COSINE; }

// Beyond this many h a row counts nothing, if the nearest is u0 of them away.
inline double reach(int kind, double u0) {
    if (reaches_zero(kind)) return 1.0;
    return kind == GAUSSIAN ? std::sqrt(u0 * u0 + 2 * NOTHING) : u0 + NOTHING + 1.5;
}

INLINE double faded(double log_ratio) { return log_ratio < -NOTHING ? 0.0 : exponential(log_ratio); }

// w[t] = k(distance[t] / h) for t < m.
INLINE void profile_values(int kind, const double *distance, int64_t m, double h, double nearest, double *w) {
    const double inverse = 1.0 / h, u0 = nearest * inverse;
    const auto each = [&](auto k) __attribute__((always_inline)) {
        for (int64_t t = 0; t < m; ++t) w[t] = k(distance[t] * inverse);
    };
    const auto inside = [](double v) __attribute__((always_inline)) { return v > 0.0 ? v : 0.0; };
    switch (kind) {
        case GAUSSIAN: each([=](double u) { return faded(0.5 * (u0 - u) * (u0 + u)); }); break;
        case BOX:
            for (int64_t t = 0; t < m; ++t) w[t] = distance[t] < h ? 1.0 : 0.0;
            break;
        case TRIANGULAR: each([=](double u) { return inside(1 - u); }); break;
        case EPANECHNIKOV: each([=](double u) { return inside(1 - u * u); }); break;
        case BIWEIGHT:
            each([=](double u) {
                const double v = inside(1 - u * u);
                return v * v;
            });
            break;
        case TRIWEIGHT:
            each([=](double u) {
                const double v = inside(1 - u * u);
                return v * v * v;
            });
            break;
        case TRICUBE:
            each([=](double u) {
                const double v = inside(1 - u * u * u);
                return v * v * v;
            });
            break;
        case COSINE: each([=](double u) { return u < 1 ? std::cos(1.57079632679489661923 * u) : 0.0; }); break;
        case EXPONENTIAL: each([=](double u) { return faded(u0 - u); }); break;
        case LOGISTIC: {
            const double e0 = 1 + exponential(-u0);
            each([=](double u) {
                const double e = e0 / (1 + exponential(-u));
                return faded(u0 - u) * e * e;
            });
            break;
        }
    }
}

}  // namespace assay
