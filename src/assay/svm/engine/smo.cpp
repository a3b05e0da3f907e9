// Sequential minimal optimisation of a dual problem whose kernel matrix is in memory.
//
//     min 1/2 a'Qa + p'a,    0 <= a_i <= upper_i,    Q_ij = s_i s_j K(i mod n, j mod n) + [i = j] ridge_i
//
// F_i = -s_i (Qa + p)_i is kept for every variable. A step moves two variables along s'a = constant:
//
//     a_i += s_i t,   a_j -= s_j t,   t = (F_i - F_j) / (K_ii + K_jj - 2 K_ij + ridge_i + ridge_j), then clipped,
//
// i with the largest F of those that may rise (s_i a_i), j with the largest gain (F_i - F_j)^2 / curvature of those
// that may fall (Fan, Chen and Lin 2005). By constraint: SUM, one pair of all; EACH_SIGN, a pair of variables of one
// sign; NONE, a single variable. Twin in NumPy: tests/svm/engine/test_solve.py.
#include <algorithm>
#include <cmath>

#include "assay/edge.hpp"

using namespace assay;

namespace {

enum Constraint { SUM, EACH_SIGN, NONE };
constexpr double LEAST_CURVATURE = 1e-12;
constexpr double NEVER = -1e300;

struct Problem {
    int64_t n, m;  // rows of the matrix, variables
    const double *sign, *upper, *ridge, *diagonal;
    double *alpha, *F;
    bool may_rise(int64_t i) const { return sign[i] > 0 ? alpha[i] < upper[i] : alpha[i] > 0; }
    bool may_fall(int64_t i) const { return sign[i] > 0 ? alpha[i] > 0 : alpha[i] < upper[i]; }
    double room_up(int64_t i) const { return sign[i] > 0 ? upper[i] - alpha[i] : alpha[i]; }
    double room_down(int64_t i) const { return sign[i] > 0 ? alpha[i] : upper[i] - alpha[i]; }
    void set(int64_t i, double a) {
        const double rounding = std::isinf(upper[i]) ? 0.0 : 1e-14 * upper[i];
        if (a <= rounding) a = 0;
        else if (upper[i] - a <= rounding) a = upper[i];
        alpha[i] = a;
    }
};

struct Pair {
    int64_t i = -1, j = -1;
    double gap = NEVER, gain = 0;
};

template <class T>
Pair best_pair(const Problem &p, const T *K, int only_sign) {  // only_sign 0: of both
    Pair best;
    double top = NEVER, low = -NEVER;
    for (int64_t i = 0; i < p.m; ++i)
        if ((!only_sign || p.sign[i] * only_sign > 0) && p.may_rise(i) && p.F[i] > top) top = p.F[i], best.i = i;
    if (best.i < 0) return best;
    const int64_t r = best.i % p.n;
    const T *row = K + r * p.n;
    for (int64_t j = 0; j < p.m; ++j) {
        if ((only_sign && p.sign[j] * only_sign <= 0) || !p.may_fall(j)) continue;
        low = std::min(low, p.F[j]);
        const double apart = top - p.F[j];
        if (apart <= 0 || j == best.i) continue;
        const int64_t q = j % p.n;
        const double curvature = p.diagonal[r] + p.diagonal[q] - 2.0 * row[q] + p.ridge[best.i] + p.ridge[j];
        const double gain = apart * apart / std::max(curvature, LEAST_CURVATURE);
        if (gain > best.gain) best.gain = gain, best.j = j;
    }
    best.gap = top - low;
    return best;
}

template <class T>
void add(const Problem &p, const T *K, int64_t i, double change) {  // change of s_i a_i
    const T *row = K + (i % p.n) * p.n;
    for (int64_t start = 0; start < p.m; start += p.n)
        for (int64_t t = 0; t < p.n; ++t) p.F[start + t] -= change * row[t];
    p.F[i] -= change * p.ridge[i];
}

// One step; the gap before it.
template <class T>
double pair_step(Problem &p, const T *K, bool by_sign, double tol) {
    Pair pair = best_pair(p, K, by_sign ? 1 : 0);
    double gap = pair.gap;
    if (by_sign) {
        const Pair other = best_pair(p, K, -1);
        gap = std::max(gap, other.gap);
        if (other.gain > pair.gain) pair = other;
    }
    if (gap < tol || pair.j < 0) return gap;
    const int64_t i = pair.i, j = pair.j, r = i % p.n, q = j % p.n;
    const double curvature = p.diagonal[r] + p.diagonal[q] - 2.0 * K[r * p.n + q] + p.ridge[i] + p.ridge[j];
    double step = (p.F[i] - p.F[j]) / std::max(curvature, LEAST_CURVATURE);
    step = std::min({step, p.room_up(i), p.room_down(j)});
    p.set(i, p.alpha[i] + p.sign[i] * step);
    p.set(j, p.alpha[j] - p.sign[j] * step);
    add(p, K, i, step);
    add(p, K, j, -step);
    return gap;
}

template <class T>
double single_step(Problem &p, const T *K, double tol) {
    int64_t best = -1;
    double gain = 0, gap = 0;
    for (int64_t i = 0; i < p.m; ++i) {
        const double F = p.F[i], pull = F > 0 ? (p.may_rise(i) ? F : 0) : (p.may_fall(i) ? -F : 0);
        gap = std::max(gap, pull);
        const double g = pull * pull / std::max(p.diagonal[i % p.n] + p.ridge[i], LEAST_CURVATURE);
        if (g > gain) gain = g, best = i;
    }
    if (gap < tol || best < 0) return gap;
    double step = p.F[best] / std::max(p.diagonal[best % p.n] + p.ridge[best], LEAST_CURVATURE);
    step = std::max(-p.room_down(best), std::min(step, p.room_up(best)));
    p.set(best, p.alpha[best] + p.sign[best] * step);
    add(p, K, best, step);
    return gap;
}

template <class T>
int64_t steps(In2<T> K,             // in      (n, n)
              In1<double> diagonal, // in      (n,)
              In1<double> sign,     // in      (m,)  -1 or 1; m a multiple of n
              In1<double> upper,    // in      (m,)
              In1<double> ridge,    // in      (m,)
              int constraint, double tol, int64_t most,
              InOut1<double> alpha, // in/out  (m,)
              InOut1<double> F,     // in/out  (m,)
              InOut1<double> gap) { // out     (1,)
    const int64_t n = length(diagonal), m = length(sign);
    require(int64_t(K.shape(0)) == n && int64_t(K.shape(1)) == n && n > 0 && m > 0 && m % n == 0, "steps: sizes");
    require(length(upper) == m && length(ridge) == m && length(alpha) == m && length(F) == m && length(gap) == 1,
            "steps: sizes of variables");
    nb::gil_scoped_release unlocked;
    Problem p{n, m, sign.data(), upper.data(), ridge.data(), diagonal.data(), alpha.data(), F.data()};
    int64_t done = 0;
    for (; done < most; ++done) {
        gap.data()[0] =
            constraint == NONE ? single_step(p, K.data(), tol) : pair_step(p, K.data(), constraint == EACH_SIGN, tol);
        if (!(gap.data()[0] >= tol)) break;
    }
    return done;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "steps", &steps<float>, "K", "diagonal", "sign", "upper", "ridge", "constraint", "tol", "most", "alpha",
           "F", "gap");
    define(m, "steps", &steps<double>, "K", "diagonal", "sign", "upper", "ridge", "constraint", "tol", "most", "alpha",
           "F", "gap");
}
