// The algebra of an active set method for a dual problem whose kernel matrix is in memory.
//
//     min 1/2 a'Qa + p'a,    0 <= a_i <= upper_i,    Q_ij = s_i s_j K(i mod n, j mod n) + [i = j] ridge_i
//
// F_i = -s_i (Qa + p)_i. Variables between their bounds (FREE) share one level b of F in each group (all variables, or
// those of one sign), and the sum of s a over a group is constant:
//
//     K_FF beta_F + ridge beta_F + b = -s p - K_FU beta_U,    1' beta_F = constant - 1' beta_U,    beta = s a       (1)
//
// `assemble` writes the system (1), whose border is multiplied by `root` so that its numbers are of one size; Python
// solves it. `advance` goes to its solution, or as far as the first bound, and says what is left to do. `finish` does
// both, round after round, while few variables are free and the system is well conditioned: with K + c 11', which
// changes nothing but b, it is positive definite, and a Cholesky factor solves it.
// Twin in NumPy: tests/svm/engine/test_polish.py.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/machines/pair_steps.hpp"

namespace assay::machines {

enum State : int8_t { FREE, LOW, HIGH };
enum Outcome { AGAIN, DONE, LOST, TO_SOLVE };
constexpr int64_t MOST_ROUNDS = 40;  // linear systems that are solved
constexpr int64_t FEW_FREE = 256;  // variables up to which their system is solved here
constexpr double LEAST_PIVOT = 3e-5;  // of the factor's diagonal, as a share of the largest
constexpr double SLACK = 1e-11;  // violation of a condition, as a share of the largest number in it, that is none
constexpr double SINGULAR = 100;  // times as much is left where a singular system came nearer

struct Program {
    KernelRows<double> &rows;
    int64_t size;  // m
    const double *sign, *linear, *upper, *ridge;  // (m,); the sign is -1 or 1
    const double *constants;  // (groups,) the sums of s a
    int64_t constraint;

    int64_t n() const { return rows.n; }
    int64_t m() const { return size; }
    int64_t groups() const { return constraint == NONE ? 0 : constraint == SUM ? 1 : 2; }
    int64_t group(int64_t i) const { return constraint == EACH_SIGN && sign[i] < 0; }
};

// Whether each variable that is not 0 has its row, and all states are known.
inline bool complete(const Program &p, const int8_t *state) {
    bool fits = true;
    for (int64_t i = 0; i < p.m(); ++i)
        fits &= state[i] >= FREE && state[i] <= HIGH && (state[i] == LOW || p.rows.has(i % p.n()));
    return fits;
}

// F of k of the variables (those at `which`, or all), of the multipliers a.
INLINE void pulls_of(const Program &p, const double *a, const int64_t *which, int64_t k, double *F) {
    const int64_t n = p.n(), m = p.m(), wanted = which ? k : n;  // columns of the matrix
    const double *s = p.sign, *linear = p.linear, *ridge = p.ridge;
    std::vector<double> beta(size_t(n), 0.0), G(size_t(wanted), 0.0);
    std::vector<int64_t> columns;
    for (int64_t i = 0; i < m; ++i) beta[size_t(i % n)] += s[i] * a[i];
    for (int64_t t = 0; which && t < k; ++t) columns.push_back(which[t] % n);
    double *g = G.data();
    for (int64_t r = 0; r < n; ++r) {
        const double b = beta[size_t(r)];
        if (b == 0) continue;
        const double *row = p.rows.row(r);
        if (!which)
            for (int64_t t = 0; t < wanted; ++t) g[t] -= b * row[t];
        else
            for (int64_t t = 0; t < wanted; ++t) g[t] -= b * row[columns[size_t(t)]];
    }
    for (int64_t t = 0; t < k; ++t) {
        const int64_t i = which ? which[t] : t;
        F[t] = g[which ? t : t % n] - s[i] * (linear[i] + ridge[i] * a[i]);
    }
}
HOT static void pulls(const Program &p, const double *a, const int64_t *which, int64_t k, double *F) {
    pulls_of(p, a, which, k, F);
}

inline std::vector<int64_t> free_variables(const int8_t *state, int64_t m) {
    std::vector<int64_t> at;
    for (int64_t i = 0; i < m; ++i)
        if (state[i] == FREE) at.push_back(i);
    return at;
}

// The size of the diagonal of the free part of the kernel matrix.
inline double write_system(const Program &p, const double *alpha, const std::vector<int64_t> &at, double *S,
                           double *right) {
    const int64_t m = p.m(), g = p.groups(), f = int64_t(at.size()), size = f + g;
    std::vector<double> others(alpha, alpha + m);
    std::vector<int64_t> columns;
    for (const int64_t i : at) columns.push_back(i % p.n());
    double scale = std::numeric_limits<double>::min();
    std::fill(S, S + size * size, 0.0);
    for (int64_t j = 0; j < f; ++j) {
        const double *row = p.rows.row(columns[size_t(j)]);
        others[size_t(at[size_t(j)])] = 0;
        for (int64_t k = 0; k < f; ++k) S[j * size + k] = row[columns[size_t(k)]];
        scale = std::max(scale, std::abs(S[j * size + j]));
        S[j * size + j] += p.ridge[at[size_t(j)]];
    }
    const double root = std::sqrt(scale);
    pulls(p, others.data(), at.data(), f, right);
    for (int64_t k = 0; k < g; ++k) right[f + k] = p.constants[k] * root;
    for (int64_t i = 0; i < m && g; ++i) right[f + p.group(i)] -= p.sign[i] * others[size_t(i)] * root;
    for (int64_t j = 0; j < f; ++j) {
        if (!g) break;
        const int64_t k = f + p.group(at[size_t(j)]);
        S[j * size + k] = S[k * size + j] = root;
    }
    for (int64_t k = f; k < size; ++k) {  // a group without a free variable
        bool any = false;
        for (int64_t j = 0; j < f; ++j) any |= S[k * size + j] != 0;
        if (!any) S[k * size + k] = 1, right[k] = 0;
    }
    return scale;
}

// How far the way to the solution leads within the bounds; the variables that are stopped there.
inline double room(const double *a, const double *step, const double *upper, const std::vector<int64_t> &at,
                   std::vector<int64_t> &stopped) {
    double share = 1;
    for (const int64_t i : at) {
        const double here = step[i] < 0   ? -a[i] / step[i]
                            : step[i] > 0 ? (upper[i] - a[i]) / step[i]
                                          : std::numeric_limits<double>::infinity();
        if (here < share) share = here, stopped.clear();
        if (here == share && share < 1) stopped.push_back(i);
    }
    return share;
}

// The lowest, middle and highest level of each group; apart where no variable is free. Whether there are any.
inline bool levels_of(const Program &p, const double *a, const int8_t *state, const double *F, const double *answer,
                      double root, double *levels) {
    const int64_t g = p.groups();
    for (int64_t k = 0; k < g; ++k) {
        bool any = false;
        double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
        for (int64_t i = 0; i < p.m(); ++i) {
            if (p.group(i) != k) continue;
            any |= state[i] == FREE;
            const bool below = a[i] < p.upper[i], above = a[i] > 0, positive = p.sign[i] > 0;
            if (positive ? below : above) highest = std::max(highest, F[i]);
            if (positive ? above : below) lowest = std::min(lowest, F[i]);
        }
        if (any) highest = lowest = answer[k] * root;
        else if (!std::isfinite(highest) || !std::isfinite(lowest)) return false;
        levels[k] = highest, levels[g + k] = (highest + lowest) / 2, levels[2 * g + k] = lowest;
    }
    return true;
}

inline Outcome go_on(const Program &p, const std::vector<int64_t> &at, const double *answer, double root, double *a,
                     int8_t *where, double *F, double *levels) {
    const int64_t m = p.m(), g = p.groups(), f = int64_t(at.size());
    const double *upper = p.upper, *s = p.sign;
    std::vector<double> step(size_t(m), 0.0);
    std::vector<int64_t> stopped;
    for (int64_t j = 0; j < f; ++j) {
        const int64_t i = at[size_t(j)];
        step[size_t(i)] = s[i] * answer[j] - a[i];
    }
    const double share = room(a, step.data(), upper, at, stopped);
    for (const int64_t i : at) a[i] += share * step[size_t(i)];
    for (const int64_t i : stopped) where[i] = step[size_t(i)] < 0 ? LOW : HIGH;
    for (const int64_t i : at) {
        const double near = std::isfinite(upper[i]) ? SLACK * upper[i] : 0.0;
        if (stopped.empty() && where[i] == FREE) where[i] = a[i] <= near ? LOW : a[i] >= upper[i] - near ? HIGH : FREE;
        if (where[i] != FREE) a[i] = where[i] == LOW ? 0.0 : upper[i];
    }
    if (!stopped.empty()) return AGAIN;
    pulls(p, a, nullptr, m, F);
    if (!levels_of(p, a, where, F, answer + f, root, levels)) return LOST;
    const double *middle = levels + g;
    double largest = 0, constant = 0;
    for (int64_t i = 0; i < m; ++i) {
        largest = std::max(largest, std::abs(F[i]));
        constant = std::max(constant, std::abs(p.linear[i]));
    }
    const double size = SLACK * (largest + constant);
    const auto inward = [&](int64_t i) { return s[i] * (F[i] - (g ? middle[p.group(i)] : 0.0)); };
    for (const int64_t i : at)
        if (where[i] == FREE && std::abs(inward(i)) > SINGULAR * size) return AGAIN;
    Outcome outcome = DONE;
    for (int64_t i = 0; i < m; ++i) {  // those whose gradient points inside are freed
        const double pull = inward(i);
        if ((where[i] == LOW && pull > size) || (where[i] == HIGH && pull < -size)) where[i] = FREE, outcome = AGAIN;
    }
    return outcome;
}

// The solution of the system (1), to full accuracy by one refinement: groups of the free variables share a level each.
INLINE bool solution_of(const double *S, const double *right, const int8_t *of, int64_t f, int64_t g, double scale,
                        double *answer) {
    const int64_t size = f + g;
    const double root = std::sqrt(scale), shift = g ? scale : 0.0;
    std::vector<double> U(size_t(f * f)), shares(size_t(g * f), 0.0), left(right, right + size);
    for (int64_t j = 0; j < f; ++j)
        for (int64_t k = 0; k < f; ++k) U[size_t(j * f + k)] = S[j * size + k] + (of[j] == of[k] ? shift : 0.0);
    if (!factored(U.data(), f, LEAST_PIVOT)) return false;
    double total[2][2] = {{0, 0}, {0, 0}};
    bool any[2] = {false, false};
    for (int64_t k = 0; k < g; ++k) {
        double *share = shares.data() + k * f;  // (K + c sum_k e_k e_k')^-1 e_k, e_k is 1 in group k
        for (int64_t j = 0; j < f; ++j) share[j] = of[j] == k, any[k] |= of[j] == k;
        solved(U.data(), f, share);
        for (int64_t j = 0; j < f; ++j) total[of[j]][k] += share[j];
    }
    for (int64_t k = 0; k < g; ++k)
        if (!any[k]) total[k][k] = 1;  // a group without a free variable
    const double determinant = g > 1 ? total[0][0] * total[1][1] - total[0][1] * total[1][0] : total[0][0];
    if (g && !(std::abs(determinant) > 0)) return false;
    std::fill(answer, answer + size, 0.0);
    for (int round = 0; round < 2; ++round) {  // the second one solves for what the first left over
        std::vector<double> x(left.begin(), left.begin() + f);
        double lack[2] = {0, 0}, level[2] = {0, 0};
        solved(U.data(), f, x.data());
        for (int64_t j = 0; j < f && g; ++j) lack[of[j]] += x[size_t(j)];
        for (int64_t k = 0; k < g; ++k) lack[k] = any[k] ? lack[k] - left[size_t(f + k)] / root : 0.0;
        if (g == 1) level[0] = lack[0] / determinant;  // b - c sum
        if (g == 2) {
            level[0] = (lack[0] * total[1][1] - total[0][1] * lack[1]) / determinant;
            level[1] = (total[0][0] * lack[1] - lack[0] * total[1][0]) / determinant;
        }
        for (int64_t k = 0; k < g; ++k) {
            for (int64_t j = 0; j < f; ++j) x[size_t(j)] -= level[k] * shares[size_t(k * f + j)];
            if (any[k]) answer[f + k] += (level[k] + shift * left[size_t(f + k)] / root) / root;
        }
        for (int64_t j = 0; j < f; ++j) answer[j] += x[size_t(j)];
        for (int64_t j = 0; j < size && !round; ++j) left[size_t(j)] = right[j] - inner(S + j * size, answer, size);
    }
    for (int64_t j = 0; j < size; ++j)
        if (!std::isfinite(answer[j])) return false;
    return true;
}
HOT static bool solution(const double *S, const double *right, const int8_t *of, int64_t f, int64_t g, double scale,
                         double *answer) {
    return solution_of(S, right, of, f, g, scale, answer);
}

// Rounds of (1) until the solution is reached, or something else is to be done first.
inline Outcome finish_in(const Program &p, int64_t rounds, double *alpha, int8_t *state, double *F, double *levels) {
    const int64_t g = p.groups();
    for (int64_t round = 0; round < rounds; ++round) {
        if (!complete(p, state)) return AGAIN;  // a row is missing
        const std::vector<int64_t> at = free_variables(state, p.m());
        const int64_t f = int64_t(at.size()), size = f + g;
        if (f > FEW_FREE) return TO_SOLVE;
        std::vector<double> S(size_t(size * size)), right(size_t(size), 0.0), answer(size_t(size), 0.0);
        const double scale = write_system(p, alpha, at, S.data(), right.data());
        if (!f) answer = right;
        else {
            std::vector<int8_t> of(size_t(f), int8_t(0));
            for (int64_t j = 0; j < f; ++j) of[size_t(j)] = int8_t(p.group(at[size_t(j)]));
            if (!solution(S.data(), right.data(), of.data(), f, g, scale, answer.data())) return TO_SOLVE;
        }
        const Outcome outcome = go_on(p, at, answer.data(), std::sqrt(scale), alpha, state, F, levels);
        if (outcome != AGAIN) return outcome;
    }
    return AGAIN;
}

}  // namespace assay::machines
