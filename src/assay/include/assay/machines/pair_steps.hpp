// Sequential minimal optimisation of a dual problem whose kernel matrix is in memory.
//
//     min 1/2 a'Qa + p'a,    0 <= a_i <= upper_i,    Q_ij = s_i s_j K(i mod n, j mod n) + [i = j] ridge_i
//
// F_i = -s_i (Qa + p)_i is the sum of G, which all variables of a row share, and base_i = -s_i (p_i + ridge_i a_i):
//
//     G_r = -sum_j K(r, j mod n) s_j a_j,    F_i = G_(i mod n) + base_i
//
// A step moves two variables along s'a = constant:
//
//     a_i += s_i t,   a_j -= s_j t,   t = (F_i - F_j) / (K_ii + K_jj - 2 K_ij + ridge_i + ridge_j), then clipped,
//
// i with the largest F of those that may rise (s_i a_i), j with the largest gain (F_i - F_j)^2 / curvature of those
// that may fall (Fan, Chen and Lin 2005). By constraint: SUM, one pair of all; EACH_SIGN, a pair of variables of one
// sign, of the sign that violates more; NONE, a single variable. Where the matrix is not positive semidefinite the
// curvature is replaced by a small positive number: the step then ends at a bound, and the objective still falls. Twin
// in NumPy: tests/svm/engine/test_solve.py.
//
// T is the type of the matrix and S that of the sums G. Sums in float32 are quicker and drift: whoever asks for them
// computes G anew at the end.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/machines/kernel_rows.hpp"
#include "assay/machines/lanes.hpp"

namespace assay::machines {

enum Constraint { SUM, EACH_SIGN, NONE };
constexpr int64_t BLOCK = 512;       // rows of which the sums stay in the first-level cache
constexpr int MOST_SETS = 4;
constexpr double ROUNDING = 8e-16;
constexpr double FARTHEST = 1e60;    // a longer step means that there is no minimum
template <class S> constexpr double BARRED = sizeof(S) == 4 ? 1e30 : 1e300;  // added to F, it keeps a variable out

typedef float LooseHalf __attribute__((vector_size(32), aligned(4), may_alias));
constexpr int64_t AHEAD = 512;       // values of a row that are fetched before they are needed

INLINE void load(Lane &v, const float *p) {
    v = __builtin_convertvector(*reinterpret_cast<const LooseHalf *>(p), Lane);
}

// Registers of sums and places in them: 32 bytes, since compilers take comparisons of 64 apart, number by number, where
// the processor has no registers for them.
template <class S> struct Wide;
template <> struct Wide<double> {
    typedef double Type __attribute__((vector_size(32)));
    typedef double Loose __attribute__((vector_size(32), aligned(8), may_alias));
    typedef float LooseSingle __attribute__((vector_size(16), aligned(4), may_alias));
    typedef int64_t Index __attribute__((vector_size(32)));
};
template <> struct Wide<float> {
    typedef float Type __attribute__((vector_size(32)));
    typedef float Loose __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int32_t Index __attribute__((vector_size(32)));
};
template <class S> using Values = typename Wide<S>::Type;
template <class S> using Index = typename Wide<S>::Index;
template <class S> constexpr int64_t ACROSS = 32 / sizeof(S);

template <class S> INLINE void load(Values<S> &v, const S *p) {
    v = *reinterpret_cast<const typename Wide<S>::Loose *>(p);
}
INLINE void load(Values<double> &v, const float *p) {
    v = __builtin_convertvector(*reinterpret_cast<const Wide<double>::LooseSingle *>(p), Values<double>);
}
template <class S> INLINE void store(S *p, const Values<S> &v) { *reinterpret_cast<typename Wide<S>::Loose *>(p) = v; }

// The largest value so far in each lane, and where it stood first.
template <class S> struct Largest {
    Values<S> value;
    Index<S> at;
};
// Looks that begin with the register `which`, and where that stands.
template <class S> INLINE void begin(Largest<S> &so_far, Index<S> &now, int which, S bar) {
    so_far.value = Values<S>{} + bar, so_far.at = Index<S>{} - 1;
    for (int k = 0; k < ACROSS<S>; ++k) now[k] = which * int(ACROSS<S>) + k;
}
template <class S> INLINE void look_at(Largest<S> &so_far, const Values<S> &v, const Index<S> &now) {
    const Index<S> above = v > so_far.value;
    so_far.value = above ? v : so_far.value;
    so_far.at = above ? now : so_far.at;
}
template <class S> INLINE void join(Largest<S> &to, const Largest<S> &from) {
    const Index<S> level = from.value == to.value, sooner = from.at < to.at;
    const Index<S> takes = (from.value > to.value) | (level & sooner);
    to.value = takes ? from.value : to.value;
    to.at = takes ? from.at : to.at;
}

// What a step may do to the m variables.
struct Bounds {
    In1<double> sign, upper, ridge;  // (m,); the sign is -1 or 1
    int64_t constraint;
    void check() const {
        require(length(upper) == length(sign) && length(ridge) == length(sign), "Bounds: sizes");
        require(constraint >= SUM && constraint <= NONE, "Bounds: constraint");
    }
};

// The variables v n, v n + 1, ... that may form pairs with each other: one for each row of the matrix.
template <class S> struct Set {
    int64_t group, first;        // sets of one group may be paired; the variable of row 0
    std::vector<S> up, low;      // (n,) base of F where it may rise (fall), else barred
    std::vector<S> own;          // (n,) K_ii + ridge_i
};

template <class T, class S = double> struct Problem {
    int64_t n, m, count;         // rows of the matrix, variables, sets
    int64_t most_computed;       // rows of the matrix after which the search stops
    KernelRows<T> &matrix;
    const double *diagonal, *sign, *upper, *ridge;
    double *alpha;
    S *G;
    double *base;
    int64_t constraint;
    Set<S> sets[MOST_SETS];
    std::vector<int8_t> set_of;  // (m,)

    double room_up(int64_t i) const { return sign[i] > 0 ? upper[i] - alpha[i] : alpha[i]; }
    double room_down(int64_t i) const { return sign[i] > 0 ? alpha[i] : upper[i] - alpha[i]; }
    int64_t row_of(int64_t i) const { return i < n ? i : i - n; }
    int64_t group_of(int64_t i) const { return constraint == EACH_SIGN && sign[i] < 0; }

    void mark(int64_t i) {
        Set<S> &set = sets[set_of[size_t(i)]];
        const size_t r = size_t(i - set.first);
        set.up[r] = S(room_up(i) > 0 ? base[i] : -BARRED<S>);
        set.low[r] = S(room_down(i) > 0 ? base[i] : BARRED<S>);
    }
    void begin() {
        set_of.assign(size_t(m), -1);
        for (int64_t first = 0; first < m; first += n)
            for (int64_t group = 0; group < 2; ++group) {
                bool used = false;
                for (int64_t i = first; i < first + n; ++i)
                    if (group_of(i) == group) set_of[size_t(i)] = int8_t(count), used = true;
                if (!used) continue;
                Set<S> &set = sets[count++];
                set.group = group, set.first = first;
                set.up.assign(size_t(n), S(-BARRED<S>)), set.low.assign(size_t(n), S(BARRED<S>));
                set.own.resize(size_t(n));
                for (int64_t r = 0; r < n; ++r) set.own[size_t(r)] = S(diagonal[r] + ridge[first + r]);
            }
        for (int64_t i = 0; i < m; ++i) mark(i);
    }
    // s_i a_i += change, as far as numbers go; whether it moved.
    bool move(int64_t i, double change) {
        const double old = alpha[i], step = sign[i] * change;
        double a = old + step;
        if (a <= ROUNDING * (old + std::abs(step))) a = 0;
        else if (upper[i] - a <= ROUNDING * a) a = upper[i];
        alpha[i] = a;
        base[i] -= ridge[i] * sign[i] * (a - old);
        mark(i);
        return a != old;
    }
};

struct Best {
    double value;
    int64_t at;
};

// The largest of the lanes and its place, the first if several are as large; none if all are barred.
template <class S> INLINE Best best_lane(const Largest<S> &of, double bar) {
    S value[ACROSS<S>];
    int64_t at[ACROSS<S>];
    for (int k = 0; k < ACROSS<S>; ++k) value[k] = of.value[k], at[k] = of.at[k];
    for (int half = ACROSS<S> / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) {  // without branches, which would be guessed wrong as often as not
            const S other = value[k + half];
            const int64_t there = at[k + half];
            const bool takes = (other > value[k]) | ((other == value[k]) & (there < at[k]));
            value[k] = takes ? other : value[k], at[k] = takes ? there : at[k];
        }
    return double(value[0]) > bar ? Best{double(value[0]), at[0]} : Best{bar, -1};
}
template <class S> INLINE S least_lane(const Values<S> &of) {
    S value[ACROSS<S>];
    for (int k = 0; k < ACROSS<S>; ++k) value[k] = of[k];
    for (int half = ACROSS<S> / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) value[k] = std::min(value[k], value[k + half]);
    return value[0];
}

// G -= ci ri + cj rj; the largest F that may rise of each set and, if wanted, the smallest that may fall.
template <bool LEAST, int SETS, class T, class S>
INLINE void update(const Problem<T, S> &p, const T *ri, const T *rj, double ci, double cj, Best *top, double *least) {
    typedef Values<S> V;
    constexpr int64_t W = ACROSS<S>;
    const S *up[SETS], *low[SETS], by_i = S(ci), by_j = S(cj);
    V small[SETS];
    Largest<S> high[SETS], odd[SETS];  // two searches that do not wait for each other
    Index<S> now, after;
    for (int s = 0; s < SETS; ++s) {
        up[s] = p.sets[s].up.data(), low[s] = p.sets[s].low.data();
        small[s] = V{} + S(2 * BARRED<S>);
        begin(high[s], now, 0, S(-BARRED<S> / 2)), begin(odd[s], after, 1, S(-BARRED<S> / 2));
    }
    S *G = p.G;
    const auto go_on = [&](int64_t t, Largest<S> *highest, Index<S> &at) INLINED {
        V g, a, b;
        __builtin_prefetch(rj + t + AHEAD);
        load(g, G + t), load(a, ri + t), load(b, rj + t);
        g = g - (a * by_i + b * by_j);
        store(G + t, g);
        for (int s = 0; s < SETS; ++s) {
            load(a, up[s] + t);
            a = a + g;
            look_at(highest[s], a, at);
            if constexpr (LEAST) {
                load(b, low[s] + t);
                b = b + g;
                small[s] = b < small[s] ? b : small[s];
            }
        }
        at += 2 * W;
    };
    int64_t t = 0;
    for (; t + 2 * W <= p.n; t += 2 * W) go_on(t, high, now), go_on(t + W, odd, after);
    if (t + W <= p.n) go_on(t, high, now), t += W;
    for (int s = 0; s < SETS; ++s) {
        join(high[s], odd[s]);
        top[s] = best_lane(high[s], -BARRED<S> / 2);
        if constexpr (LEAST) least[s] = least_lane<S>(small[s]);
    }
    for (; t < p.n; ++t) {
        G[t] -= S(ri[t]) * by_i + S(rj[t]) * by_j;
        for (int s = 0; s < SETS; ++s) {
            if (G[t] + up[s][t] > top[s].value) top[s] = {double(G[t] + up[s][t]), t};
            if constexpr (LEAST) least[s] = std::min(least[s], double(G[t] + low[s][t]));
        }
    }
    for (int s = 0; s < SETS; ++s)
        if (top[s].at >= 0) top[s].at += p.sets[s].first;
}

template <class T, class S> INLINE S least_curvature(S sum) {  // sum of two diagonal values
    const S rounding = S(std::numeric_limits<T>::epsilon()) * (sum < 0 ? -sum : sum);
    return rounding > std::numeric_limits<T>::min() ? rounding : std::numeric_limits<T>::min();
}

// Where the gain (top - F)^2 / curvature is largest: of a set, for a first variable with this row of the matrix and own
// curvature. The smallest F of those that may fall.
template <class T, class S>
INLINE Best best_partner(const Problem<T, S> &p, const Set<S> &set, const T *row, double top, double scale,
                         double ridge, double *least) {
    typedef Values<S> V;
    constexpr int64_t W = ACROSS<S>;
    const S *G = p.G, *low = set.low.data(), *other = set.own.data(), from = S(top), by = S(scale), own = S(ridge);
    const S floor = least_curvature<T>(own);
    V small = V{} + S(2 * BARRED<S>);
    Largest<S> high, odd;
    Index<S> now, after;
    begin(high, now, 0, S(0)), begin(odd, after, 1, S(0));
    const auto go_on = [&](int64_t t, Largest<S> &highest, Index<S> &at) INLINED {
        V g, k, o;
        __builtin_prefetch(row + t + AHEAD);
        load(g, G + t), load(o, low + t), load(k, row + t);
        g = g + o;
        small = g < small ? g : small;
        g = (from - g) * by;
        g = g > S(0) ? g : V{};
        load(o, other + t);
        k = (o + own) - (k + k);
        k = k > floor ? k : V{} + floor;
        g = g * g / k;
        look_at(highest, g, at);
        at += 2 * W;
    };
    int64_t t = 0;
    for (; t + 2 * W <= p.n; t += 2 * W) go_on(t, high, now), go_on(t + W, odd, after);
    if (t + W <= p.n) go_on(t, high, now), t += W;
    join(high, odd);
    Best best = best_lane(high, 0.0);
    *least = std::min(*least, double(least_lane<S>(small)));
    for (; t < p.n; ++t) {
        const S F = G[t] + low[t], apart = (from - F) * by;
        const S near = apart > 0 ? apart : S(0), curvature = own + other[t] - S(2) * S(row[t]);
        const double gain = double(near * near / (curvature > floor ? curvature : floor));
        if (gain > best.value) best = {gain, t};
        *least = std::min(*least, double(F));
    }
    if (best.at >= 0) best.at += set.first;
    return best;
}

// Steps until no pair violates by `tol`, or `most` are done, or numbers are not fine enough for another.
template <int SETS, class T, class S>
INLINE int64_t pair_steps(Problem<T, S> &p, double tol, int64_t most, double *gap) {
    constexpr double bar = BARRED<S>;
    Best top[MOST_SETS];
    double least[MOST_SETS] = {};
    const bool by_sign = p.constraint == EACH_SIGN;
    double scale = 1;
    const T *ri = p.matrix.row(0), *rj = ri;
    double step = 0;
    for (int64_t done = 0;; ++done) {
        if (by_sign) update<true, SETS>(p, ri, rj, step, -step, top, least);
        else update<false, SETS>(p, ri, rj, step, -step, top, least);
        int64_t i = -1, group = 0;
        double high = 0, widest = -bar;
        for (int64_t g = 0; g <= by_sign; ++g) {  // the group whose worst pair is worst
            double most_here = -2 * bar, least_here = 2 * bar;
            int64_t at = -1;
            for (int s = 0; s < SETS; ++s) {
                if (p.sets[s].group != g) continue;
                if (top[s].at >= 0 && top[s].value > most_here) most_here = top[s].value, at = top[s].at;
                least_here = std::min(least_here, least[s]);
            }
            if (at < 0) continue;
            if (by_sign && !(least_here < bar / 2)) continue;
            if (!by_sign || most_here - least_here > widest)
                i = at, high = most_here, group = g, widest = most_here - least_here;
        }
        if (i < 0) return *gap = -bar, done;
        const int64_t r = p.row_of(i);
        ri = p.matrix.row(r);
        const double own = p.diagonal[r] + p.ridge[i];
        Best partner{0, -1};
        double smallest = 2 * bar;
        for (int s = 0; s < SETS; ++s) {
            if (p.sets[s].group != group) continue;
            const Best one = best_partner(p, p.sets[s], ri, high, scale, own, &smallest);
            if (one.at >= 0 && one.value > partner.value) partner = one;
        }
        *gap = smallest < bar / 2 ? high - smallest : -bar;
        if (!(*gap >= tol) || done == most || p.matrix.computed > p.most_computed) return done;
        if (partner.at < 0) {  // gains below the smallest numbers
            if (scale == 1 / *gap) return done;
            scale = 1 / *gap, step = 0;
            --done;
            continue;
        }
        scale = 1 / *gap;
        const int64_t j = partner.at, q = p.row_of(j);
        rj = p.matrix.row(q);
        const double sum = p.diagonal[r] + p.ridge[i] + p.diagonal[q] + p.ridge[j];
        const double curvature = sum - 2.0 * double(ri[q]);
        step = (high - (p.G[q] + p.base[j])) / std::max(curvature, least_curvature<T>(sum));
        step = std::min({step, p.room_up(i), p.room_down(j)});
        if (!(std::abs(step) < FARTHEST)) return done;
        const bool first = p.move(i, step), second = p.move(j, -step);
        if (!first && !second) return done;
    }
}

// The multiplier whose move alone gains most, F^2 / curvature; *gap is the largest |F| of those that may move.
template <class T, class S>
INLINE Best best_alone(const Problem<T, S> &p, const Set<S> &set, double scale, double *gap) {
    typedef Values<S> V;
    constexpr int64_t W = ACROSS<S>;
    const S *G = p.G, *up = set.up.data(), *low = set.low.data(), *own = set.own.data(), by = S(scale);
    const int64_t whole = p.n / W * W;
    V widest{};
    Largest<S> high;
    Index<S> now;
    begin(high, now, 0, S(0));
    const S floor = S(std::numeric_limits<T>::min());
    for (int64_t t = 0; t < whole; t += W, now += W) {
        V g, a, b;
        load(g, G + t), load(a, up + t), load(b, low + t);
        a = a + g, b = -(b + g);
        a = a > b ? a : b;
        a = a > S(0) ? a : V{};
        widest = a > widest ? a : widest;
        load(b, own + t);
        b = b > floor ? b : V{} + floor;
        a = a * by;
        a = a * a / b;
        look_at(high, a, now);
    }
    Best best = best_lane(high, 0.0);
    *gap = std::max(*gap, -double(least_lane<S>(-widest)));
    for (int64_t t = whole; t < p.n; ++t) {
        const S pull = std::max({G[t] + up[t], -(G[t] + low[t]), S(0)});
        const double gain = double(pull * by * pull * by / std::max(own[t], floor));
        *gap = std::max(*gap, double(pull));
        if (gain > best.value) best = {gain, t};
    }
    if (best.at >= 0) best.at += set.first;
    return best;
}

template <int SETS, class T, class S>
INLINE int64_t single_steps(Problem<T, S> &p, double tol, int64_t most, double *gap) {
    Best top[MOST_SETS];
    double least[MOST_SETS], step = 0, scale = 1;
    const T *row = p.matrix.row(0);
    for (int64_t done = 0;; ++done) {
        update<false, SETS>(p, row, row, step, 0.0, top, least);
        Best best{0, -1};
        *gap = 0;
        for (int s = 0; s < SETS; ++s) {
            const Best here = best_alone(p, p.sets[s], scale, gap);
            if (here.at >= 0 && here.value > best.value) best = here;
        }
        if (!(*gap >= tol) || done == most || best.at < 0 || p.matrix.computed > p.most_computed) return done;
        scale = 1 / *gap;
        const int64_t i = best.at, r = p.row_of(i);
        row = p.matrix.row(r);
        const double own = p.diagonal[r] + p.ridge[i];
        step = (p.G[r] + p.base[i]) / std::max(own, least_curvature<T>(2 * own));
        step = std::max(-p.room_down(i), std::min(step, p.room_up(i)));
        if (!(std::abs(step) < FARTHEST) || !p.move(i, step)) return done;
    }
}

template <class T, class S>
INLINE int64_t all_steps(Problem<T, S> &p, double tol, int64_t most, double *gap) {
    if (p.constraint == NONE) {
        if (p.count == 1) return single_steps<1>(p, tol, most, gap);
        return single_steps<2>(p, tol, most, gap);
    }
    switch (p.count) {
        case 1: return pair_steps<1>(p, tol, most, gap);
        case 2: return pair_steps<2>(p, tol, most, gap);
        case 3: return pair_steps<3>(p, tol, most, gap);
        default: return pair_steps<4>(p, tol, most, gap);
    }
}
HOT static int64_t steps_in(Problem<float> &p, double tol, int64_t most, double *gap) {
    return all_steps(p, tol, most, gap);
}
HOT static int64_t steps_in(Problem<double> &p, double tol, int64_t most, double *gap) {
    return all_steps(p, tol, most, gap);
}
HOT static int64_t steps_in(Problem<float, float> &p, double tol, int64_t most, double *gap) {
    return all_steps(p, tol, most, gap);
}

// G[t] -= sum_k coef[k] rows[places[k], t] for first <= t < last: four rows at a time.
template <class T>
INLINE void subtract(const T *rows, int64_t width, const int64_t *places, const double *coef, int64_t k, int64_t first,
                     int64_t last, double *G) {
    for (int64_t start = first; start < last; start += BLOCK) {
        const int64_t end = std::min(start + BLOCK, last);
        int64_t c = 0;
        for (; c + 4 <= k; c += 4) {
            const T *r0 = rows + places[c] * width, *r1 = rows + places[c + 1] * width;
            const T *r2 = rows + places[c + 2] * width, *r3 = rows + places[c + 3] * width;
            const double c0 = coef[c], c1 = coef[c + 1], c2 = coef[c + 2], c3 = coef[c + 3];
            int64_t t = start;
            for (; t + WIDTH <= end; t += WIDTH) {
                Lane g, a, b, d, e;
                load(g, G + t), load(a, r0 + t), load(b, r1 + t), load(d, r2 + t), load(e, r3 + t);
                g = g - ((a * c0 + b * c1) + (d * c2 + e * c3));
                *reinterpret_cast<LooseLane *>(G + t) = g;
            }
            for (; t < end; ++t) G[t] -= (r0[t] * c0 + r1[t] * c1) + (r2[t] * c2 + r3[t] * c3);
        }
        for (; c < k; ++c) {
            const T *row = rows + places[c] * width;
            for (int64_t t = start; t < end; ++t) G[t] -= row[t] * coef[c];
        }
    }
}
HOT static void subtract_in(const float *rows, int64_t width, const int64_t *places, const double *coef, int64_t k,
                            int64_t first, int64_t last, double *G) {
    subtract(rows, width, places, coef, k, first, last, G);
}
HOT static void subtract_in(const double *rows, int64_t width, const int64_t *places, const double *coef, int64_t k,
                            int64_t first, int64_t last, double *G) {
    subtract(rows, width, places, coef, k, first, last, G);
}

}  // namespace assay::machines
