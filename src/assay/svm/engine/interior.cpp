// An interior point method for a program of boxes whose matrix is a product of few columns.
//
//     min 1/2 w'Ew + 1/2 t'Rt + p't,    E x = N't + c,    0 <= t <= 1,    x = (w, y), E is 0 at y
//
// Newton steps towards t z = mu, (1 - t) z' = mu for a falling mu, predicted, then corrected; each solves
//
//     (E + N'D^-1 N) dx = N'D^-1 rho + lack,    dt = (rho - N dx) / D,    D = R + z / t + z' / (1 - t)              (1)
//
// Rows stand side by side, eight of them in a lane; those that fill up the last one have N = 0 and bounds that weigh
// next to nothing. Twin in NumPy: assay/svm/engine/interior.py has it for many columns;
// tests/svm/engine/test_interior.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/edge.hpp"
#include "assay/machines/lanes.hpp"

using namespace assay;
using namespace assay::machines;

namespace {

constexpr int64_t BLOCK = 64;  // rows whose weighted numbers stay in the cache
constexpr int64_t TALL = 4, WIDE = 2;  // a tile of sums of products that stays in registers
constexpr double NEXT_TO_NOTHING = 1e-250;

struct BoxProgram {
    In2<double> N;  // (m, k)
    In1<double> E, c;  // (k,)
    In1<double> R, p;  // (m,)
    double size;  // of the slopes at the start
    void check() const {
        const int64_t m = int64_t(N.shape(0)), k = int64_t(N.shape(1));
        require(m > 0 && k > 0 && length(E) == k && length(c) == k && length(R) == m && length(p) == m,
                "BoxProgram: sizes");
    }
};

struct StopRule {
    double gap, error;  // at which it ends: the gap as a share of the objective, and what the conditions lack
    double least, reach, jitter;  // of the objective; of the way to a bound; on a diagonal of ones
    int64_t most;  // iterations of a call
    void check() const { require(most >= 0, "StopRule: most"); }
};

// The columns of N one after the other, of rows filled up to whole lanes, and where the method stands.
struct State {
    int64_t m, rows, k;
    std::vector<double> N, E, c, R, p, t, z, up, x;
    std::vector<double> slope, D, dt, dz, dup, low, high, along, weighted, U, scale, lack, dx;

    State(const BoxProgram &q, const double *at, const double *below, const double *above, const double *unknown)
        : m(int64_t(q.N.shape(0))), rows((m + WIDTH - 1) / WIDTH * WIDTH), k(int64_t(q.N.shape(1))) {
        const auto filled = [&](const double *from, double rest) {
            std::vector<double> to(from, from + m);
            to.resize(size_t(rows), rest);
            return to;
        };
        N.assign(size_t(k * rows), 0.0);
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < k; ++j) N[size_t(j * rows + i)] = q.N.data()[i * k + j];
        E.assign(q.E.data(), q.E.data() + k), c.assign(q.c.data(), q.c.data() + k), x.assign(unknown, unknown + k);
        R = filled(q.R.data(), 0.0), p = filled(q.p.data(), 0.0), t = filled(at, 0.5);
        z = filled(below, NEXT_TO_NOTHING), up = filled(above, NEXT_TO_NOTHING);
        for (auto *part : {&slope, &D, &dt, &dz, &dup, &low, &high, &along}) part->assign(size_t(rows), 0.0);
        weighted.assign(size_t(k * BLOCK), 0.0), U.assign(size_t(k * k), 0.0);
        for (auto *part : {&scale, &lack, &dx}) part->assign(size_t(k), 0.0);
    }
};

INLINE double largest(const Lane &v) {
    double most = v[0];
    for (int64_t l = 1; l < WIDTH; ++l) most = v[l] > most ? v[l] : most;
    return most;
}

// to = N x
INLINE void forward(const State &s, const double *x, double *to) {
    std::fill(to, to + s.rows, 0.0);
    int64_t j = 0;
    for (; j + 4 <= s.k; j += 4) {
        const double *a = s.N.data() + j * s.rows, *b = a + s.rows, *c = b + s.rows, *d = c + s.rows;
        const double xa = x[j], xb = x[j + 1], xc = x[j + 2], xd = x[j + 3];
        INDEPENDENT
        for (int64_t i = 0; i < s.rows; ++i) to[i] += (xa * a[i] + xb * b[i]) + (xc * c[i] + xd * d[i]);
    }
    for (; j < s.k; ++j) {
        const double *a = s.N.data() + j * s.rows, xa = x[j];
        INDEPENDENT
        for (int64_t i = 0; i < s.rows; ++i) to[i] += xa * a[i];
    }
}

// U = N'D^-1 N, the upper half
INLINE void products(State &s, const double *share) {
    const int64_t k = s.k;
    double *W = s.weighted.data(), *U = s.U.data();
    std::fill(U, U + k * k, 0.0);
    for (int64_t first = 0; first < s.rows; first += BLOCK) {
        const int64_t size = std::min(BLOCK, s.rows - first);
        const double *N = s.N.data() + first;
        for (int64_t j = 0; j < k; ++j) {
            const double *from = N + j * s.rows, *by = share + first;
            double *to = W + j * BLOCK;
            INDEPENDENT
            for (int64_t i = 0; i < size; ++i) to[i] = from[i] * by[i];
        }
        for (int64_t a = 0; a < k; a += TALL)
            for (int64_t b = a / WIDE * WIDE; b < k; b += WIDE) {
                Lane sum[TALL][WIDE] = {};
                const double *left[TALL], *right[WIDE];  // the last ones more than once, rather than none
                for (int64_t r = 0; r < TALL; ++r) left[r] = W + std::min(a + r, k - 1) * BLOCK;
                for (int64_t r = 0; r < WIDE; ++r) right[r] = N + std::min(b + r, k - 1) * s.rows;
                for (int64_t i = 0; i < size; i += WIDTH) {
                    Lane x, y[WIDE];
                    for (int64_t r = 0; r < WIDE; ++r) load(y[r], right[r] + i);
                    for (int64_t q = 0; q < TALL; ++q) {
                        load(x, left[q] + i);
                        for (int64_t r = 0; r < WIDE; ++r) sum[q][r] = sum[q][r] + x * y[r];
                    }
                }
                for (int64_t q = 0; q < TALL && a + q < k; ++q)
                    for (int64_t r = 0; r < WIDE && b + r < k; ++r) U[(a + q) * k + b + r] += total(sum[q][r]);
            }
    }
}

// The step of (1) that changes t z by `low` and (1 - t) z' by `high`, to first order.
INLINE void step(State &s) {
    const int64_t n = s.rows, k = s.k;
    double *t = s.t.data(), *z = s.z.data(), *up = s.up.data(), *share = s.D.data(), *slope = s.slope.data();
    double *dt = s.dt.data(), *dz = s.dz.data(), *dup = s.dup.data(), *low = s.low.data(), *high = s.high.data();
    double *along = s.along.data(), *dx = s.dx.data();
    INDEPENDENT
    for (int64_t i = 0; i < n; ++i) {
        dt[i] = low[i] / t[i] - high[i] / (1 - t[i]) - slope[i];  // rho
        along[i] = dt[i] * share[i];
    }
    for (int64_t j = 0; j < k; ++j)
        dx[j] = s.scale[size_t(j)] * (inner(along, s.N.data() + j * n, n) + s.lack[size_t(j)]);
    solved(s.U.data(), k, dx);
    for (int64_t j = 0; j < k; ++j) dx[j] *= s.scale[size_t(j)];
    forward(s, dx, along);
    INDEPENDENT
    for (int64_t i = 0; i < n; ++i) {
        dt[i] = (dt[i] - along[i]) * share[i];
        dz[i] = (low[i] - z[i] * dt[i]) / t[i];
        dup[i] = (high[i] + up[i] * dt[i]) / (1 - t[i]);
    }
}

// The share of a step, at most 1, at which the first number would be 0.
INLINE double reach(const State &s) {
    Lane most{};
    for (int64_t i = 0; i < s.rows; i += WIDTH) {
        Lane t, z, up, dt, dz, dup;
        load(t, s.t.data() + i), load(z, s.z.data() + i), load(up, s.up.data() + i);
        load(dt, s.dt.data() + i), load(dz, s.dz.data() + i), load(dup, s.dup.data() + i);
        const Lane a = -dt / t, b = dt / (1.0 - t), c = -dz / z, d = -dup / up;
        most = a > most ? a : most;
        most = b > most ? b : most;
        most = c > most ? c : most;
        most = d > most ? d : most;
    }
    const double steepest = largest(most);
    return steepest > 1 ? 1 / steepest : 1.0;
}

// The sum of t z and (1 - t) z' after such a share of the step.
INLINE double gap_after(const State &s, double share) {
    Lane sum{};
    for (int64_t i = 0; i < s.rows; i += WIDTH) {
        Lane t, z, up, dt, dz, dup;
        load(t, s.t.data() + i), load(z, s.z.data() + i), load(up, s.up.data() + i);
        load(dt, s.dt.data() + i), load(dz, s.dz.data() + i), load(dup, s.dup.data() + i);
        const Lane at = t + share * dt;
        sum = sum + ((z + share * dz) * at + (up + share * dup) * (1.0 - at));
    }
    return total(sum);
}

// The system at a point, factored: its gap, and the objective. Whether it can be solved.
INLINE bool system_at(State &s, double jitter, double &gap, double &objective, double &error) {
    const int64_t n = s.rows, k = s.k;
    double *slope = s.slope.data(), *share = s.D.data(), *U = s.U.data();
    const double *x = s.x.data(), *R = s.R.data(), *p = s.p.data();
    forward(s, x, slope);
    Lane apart{}, value{}, steepest{};
    for (int64_t i = 0; i < n; i += WIDTH) {
        Lane t, z, up, r, q, v;
        load(t, s.t.data() + i), load(z, s.z.data() + i), load(up, s.up.data() + i), load(r, R + i), load(q, p + i);
        load(v, slope + i);
        const Lane rest = 1.0 - t;
        v = v + (r * t + q - z + up);
        store(slope + i, v);
        store(share + i, 1.0 / (r + z / t + up / rest));
        apart = apart + (z * t + up * rest);
        value = value + (0.5 * r * t + q) * t;
        v = v < 0.0 ? -v : v;
        steepest = v > steepest ? v : steepest;
    }
    gap = total(apart), objective = total(value), error = largest(steepest);
    for (int64_t j = 0; j < k; ++j) {
        s.lack[size_t(j)] = inner(s.t.data(), s.N.data() + j * n, n) - s.E[size_t(j)] * x[j] + s.c[size_t(j)];
        objective += 0.5 * s.E[size_t(j)] * x[j] * x[j];
    }
    products(s, share);
    for (int64_t j = 0; j < k; ++j) {
        U[j * k + j] += s.E[size_t(j)];
        s.scale[size_t(j)] = 1 / std::sqrt(U[j * k + j]);
    }
    for (int64_t a = 0; a < k; ++a) {
        for (int64_t b = a; b < k; ++b) U[a * k + b] *= s.scale[size_t(a)] * s.scale[size_t(b)];
        U[a * k + a] += jitter;
    }
    return factored(U, k, 0.0);
}

HOT int64_t iterate(State &s, const StopRule &limits, double size, double &share, bool &ended) {
    const int64_t n = s.rows;
    double *t = s.t.data(), *z = s.z.data(), *up = s.up.data(), *dt = s.dt.data(), *dz = s.dz.data();
    double *dup = s.dup.data(), *low = s.low.data(), *high = s.high.data();
    for (int64_t done = 0;; ++done) {
        double gap, objective, error;
        const bool solvable = system_at(s, limits.jitter, gap, objective, error);
        error /= size;
        share = gap / (std::abs(objective) + limits.least * double(s.m) * size);
        if (!solvable || !std::isfinite(share + error)) share += std::isfinite(error) ? error : 1.0;
        ended = !solvable || !std::isfinite(share + error) || (share <= limits.gap && error <= limits.error);
        if (ended || done == limits.most) return done;
        INDEPENDENT
        for (int64_t i = 0; i < n; ++i) low[i] = -z[i] * t[i], high[i] = -up[i] * (1 - t[i]);
        step(s);
        const double lower = gap_after(s, reach(s)) / gap, mu = lower * lower * lower * gap / double(2 * s.m);
        INDEPENDENT
        for (int64_t i = 0; i < n; ++i) {
            low[i] = mu - z[i] * t[i] - dt[i] * dz[i];
            high[i] = mu - up[i] * (1 - t[i]) + dt[i] * dup[i];
        }
        step(s);
        const double way = std::min(1.0, limits.reach * reach(s));
        const double highest = 1 - std::numeric_limits<double>::epsilon() / 2;
        INDEPENDENT
        for (int64_t i = 0; i < n; ++i) {
            t[i] += way * dt[i], z[i] += way * dz[i], up[i] += way * dup[i];
            t[i] = t[i] < highest ? t[i] : highest;
        }
        for (int64_t j = 0; j < s.k; ++j) s.x[size_t(j)] += way * s.dx[size_t(j)];
        for (int64_t i = s.m; i < n; ++i) t[i] = 0.5, z[i] = up[i] = NEXT_TO_NOTHING;
    }
}

// Some iterations; how many. `state` has the gap as a share of the objective, and whether it ended.
int64_t newton(const BoxProgram &program, const StopRule &limits,
               InOut1<double> t,  // in/out  (m,)
               InOut1<double> z,  // in/out  (m,) multipliers of t >= 0
               InOut1<double> z_up,  // in/out  (m,) and of t <= 1
               InOut1<double> x,  // in/out  (k,)
               InOut1<double> state) {  // out     (2,)
    const int64_t m = int64_t(program.N.shape(0)), k = int64_t(program.N.shape(1));
    require(length(t) == m && length(z) == m && length(z_up) == m && length(x) == k && length(state) == 2,
            "newton: sizes");
    nb::gil_scoped_release unlocked;
    State s(program, t.data(), z.data(), z_up.data(), x.data());
    bool ended = false;
    const int64_t done = iterate(s, limits, program.size, state.data()[0], ended);
    state.data()[1] = ended;
    std::copy(s.t.begin(), s.t.begin() + m, t.data()), std::copy(s.z.begin(), s.z.begin() + m, z.data());
    std::copy(s.up.begin(), s.up.begin() + m, z_up.data()), std::copy(s.x.begin(), s.x.end(), x.data());
    return done;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<BoxProgram>(m, "BoxProgram", field("N", &BoxProgram::N), field("E", &BoxProgram::E),
                       field("c", &BoxProgram::c), field("R", &BoxProgram::R), field("p", &BoxProgram::p),
                       field("size", &BoxProgram::size));
    record<StopRule>(m, "StopRule", field("gap", &StopRule::gap), field("error", &StopRule::error),
                     field("least", &StopRule::least), field("reach", &StopRule::reach),
                     field("jitter", &StopRule::jitter), field("most", &StopRule::most));
    define(m, "newton", &newton, "program", "limits", "t", "z", "z_up", "x", "state");
}
