// Bits to say where a set of rules for one class errs: fp of the c rows that it covers, fn of the u that it does not.
//
//     log2(c + u + 1) + S(c, fp, rho e / c) + S(u, fn, fn / u)          if c > u,       e = fp + fn
//                       S(c, fp, fp / c) + S(u, fn, (1 - rho) e / u)    else
//     S(n, k, p) = -k log2 p - (n - k) log2(1 - p)
//
// A row is covered if hits + plus - minus is above 0: so many rules cover it, one more does, one does no longer.
// Checked by the caller: flags are 0 or 1. Twin in NumPy: assay.rulebase.measures.exception_bits, compared in
// tests/rules/covering/test_description_length.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

#include <algorithm>
#include <cmath>

using namespace assay;

namespace {

constexpr double TINY = 1e-12;  // no probability that codes an event is smaller

double subset_bits(double n, double k, double p) {
    p = std::min(std::max(p, 0.0), 1.0);
    const double yes = k > 0 ? k * std::log2(std::max(p, TINY)) : 0.0;
    const double no = n - k > 0 ? (n - k) * std::log2(std::max(1 - p, TINY)) : 0.0;
    return 0.0 - yes - no;
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

double exception_bits(double c, double u, double fp, double fn, double rho) {
    const double e = fp + fn;
    const double of_covered = c > u ? share_of(rho * e, c) : share_of(fp, c);
    const double of_rest = c > u ? share_of(fn, u) : share_of((1 - rho) * e, u);
    return std::log2(c + u + 1) + subset_bits(c, fp, of_covered) + subset_bits(u, fn, of_rest);
}

struct Sums {
    double p, n;
};

HOT Sums counts(const int32_t *hits, const uint8_t *plus, const uint8_t *minus, const uint8_t *positive, int64_t m) {
    int64_t covered = 0, p = 0;
    for (int64_t i = 0; i < m; ++i) {
        const int32_t more = plus ? plus[i] : 0, less = minus ? minus[i] : 0;
        const int32_t in = hits[i] > less - more;
        covered += in, p += in & positive[i];
    }
    return {double(p), double(covered - p)};
}

Sums weights(const int32_t *hits, const uint8_t *plus, const uint8_t *minus, const uint8_t *positive, const double *w,
             int64_t m) {
    Sums sums{0, 0};
    for (int64_t i = 0; i < m; ++i)
        if (hits[i] > (minus ? minus[i] : 0) - (plus ? plus[i] : 0)) (positive[i] ? sums.p : sums.n) += w[i];
    return sums;
}

double exceptions(In1<int32_t> hits,     // in  (m,) how many rules cover each row
                  In1<uint8_t> plus,     // in  (m,) or (0,)
                  In1<uint8_t> minus,    // in  (m,) or (0,)
                  In1<uint8_t> positive, // in  (m,)
                  In1<double> w,         // in  (m,) or (0,)
                  double P, double N,    // weight of all positive and of all negative rows
                  double rho) {
    const int64_t m = int64_t(hits.shape(0));
    const auto fits = [m](int64_t size) { return size == 0 || size == m; };
    require(fits(int64_t(plus.shape(0))) && fits(int64_t(minus.shape(0))) && fits(int64_t(w.shape(0))) &&
                int64_t(positive.shape(0)) == m,
            "exceptions: shapes");
    nb::gil_scoped_release unlocked;
    const uint8_t *more = plus.shape(0) ? plus.data() : nullptr, *less = minus.shape(0) ? minus.data() : nullptr;
    const Sums in = w.shape(0) ? weights(hits.data(), more, less, positive.data(), w.data(), m)
                               : counts(hits.data(), more, less, positive.data(), m);
    const double fn = std::max(P - in.p, 0.0), tn = std::max(N - in.n, 0.0);
    return exception_bits(in.p + in.n, fn + tn, in.n, fn, rho);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "exceptions", &exceptions, "hits", "plus", "minus", "positive", "w", "P", "N", "rho");
}
