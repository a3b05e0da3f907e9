// How many errors a leaf of n rows, e of them wrong, is expected to make on new rows: the upper end of a one-sided
// confidence interval of a binomial share, as C4.5 computes it.
//
//     U(n, 0)     = n (1 - CF^(1/n))
//     U(n, e)     = n (f + z^2/2n + z sqrt(f/n - f^2/n + z^2/4n^2)) / (1 + z^2/n),   f = (e + 1/2)/n,   e >= 1    (1)
//     between 0 and 1 linear in e;  never above n
//
// Twin in NumPy: assay.trees.pruning.upper_errors.
#pragma once
#include <algorithm>
#include <cmath>

namespace assay {

struct Bound {
    double confidence, z;

    double above_one(double n, double e) const {
        if (e + 0.5 >= n) return std::max(n, e);
        const double f = (e + 0.5) / n, q = z * z;
        return n * (f + q / (2 * n) + z * std::sqrt(f / n - f * f / n + q / (4 * n * n))) / (1 + q / n);
    }

    double operator()(double n, double e) const {
        if (n < 1e-6) return 0.0;
        if (e >= 1) return above_one(n, e);
        const double none = n * (1 - std::pow(confidence, 1 / n));
        return e <= 0 ? none : none + e * (above_one(n, 1) - none);
    }
};

}  // namespace assay
