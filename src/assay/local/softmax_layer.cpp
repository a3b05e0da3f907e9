// A few steps of Newton's method for a softmax regression with soft targets and few weights.
//
//     E(W) = sum_i w_i sum_k t_ik (l_i - z_ik) + 1/2 sum_kj a_j W_kj^2,    z_i = W f_i,    l_i = log sum_k exp z_ik
//     dE/dW_k        = sum_i w_i (p_ik - t_ik) f_i + a W_k,                p_ik = exp(z_ik - l_i)
//     d2E/dW_k dW_l  = sum_i w_i p_ik ([k = l] - p_il) f_i f_i' + [k = l] diag(a)
//
// A step that does not lower E is halved, and given up at SHORTEST: E never rises. The softmax does not see what all
// classes share, so without a penalty the curvature is singular; RIDGE of its diagonal makes it definite, and the slope
// along those directions is 0. TILE rows at a time stand turned, one row to a lane.
//
// Checked by the caller: finite F, t, w >= 0, a >= 0, W.
// Twin in NumPy: tests/local/test_softmax_layer.py, steps_by_the_book.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

constexpr int64_t LANES = 8, GROUPS = 16, TILE = LANES * GROUPS, MOST_STEPS = 65536;
constexpr double RIDGE = 1e-10, SHORTEST = 1e-9, SUFFICIENT = 1e-4;
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double))));

INLINE double total(Lanes v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }

struct Problem {
    View2<const double> F, target;
    const double *weight, *penalty;
    int64_t n, p, K;
};

struct Room {
    std::vector<double> numbers;
    Lanes *f, *z, *t, *u;  // (p, GROUPS) features, (K, GROUPS) scores, then probabilities; targets; one product
    Room(int64_t p, int64_t K) : numbers(LANES * ((p + 2 * K + 1) * GROUPS + 1)) {
        void *place = numbers.data();
        size_t space = numbers.size() * sizeof(double);
        f = static_cast<Lanes *>(std::align(sizeof(Lanes), (p + 2 * K + 1) * GROUPS * sizeof(Lanes), place, space));
        z = f + p * GROUPS, t = z + K * GROUPS, u = t + K * GROUPS;
    }
};

// E at W; with `slope` (K p,) and `second` (K p, K p, lower blocks k >= l) also its derivatives.
HOT double look(const Problem &problem, Room &room, const double *W, double *slope, double *second) {
    const int64_t n = problem.n, p = problem.p, K = problem.K, width = K * p;
    if (slope) {
        std::fill(slope, slope + width, 0.0);
        std::fill(second, second + width * width, 0.0);
    }
    double value = 0.0;
    for (int64_t start = 0; start < n; start += TILE) {
        const int64_t m = std::min(TILE, n - start), groups = (m + LANES - 1) / LANES, padded = groups * LANES;
        double *f = reinterpret_cast<double *>(room.f), *z = reinterpret_cast<double *>(room.z),
               *t = reinterpret_cast<double *>(room.t), most[TILE], sum[TILE], weight[TILE];
        for (int64_t r = 0; r < m; ++r) {
            const double *row = problem.F.row(start + r), *target = problem.target.row(start + r);
            for (int64_t j = 0; j < p; ++j) f[j * TILE + r] = row[j];
            for (int64_t k = 0; k < K; ++k) t[k * TILE + r] = target[k];
            weight[r] = problem.weight[start + r];
        }
        for (int64_t r = m; r < padded; ++r) {
            for (int64_t j = 0; j < p; ++j) f[j * TILE + r] = 0.0;
            for (int64_t k = 0; k < K; ++k) t[k * TILE + r] = 0.0;
            weight[r] = 0.0;
        }
        for (int64_t k = 0; k < K; ++k)
            for (int64_t g = 0; g < groups; ++g) {
                Lanes score = {};
                for (int64_t j = 0; j < p; ++j) score += W[k * p + j] * room.f[j * GROUPS + g];
                room.z[k * GROUPS + g] = score;
            }
        for (int64_t r = 0; r < padded; ++r) most[r] = z[r], sum[r] = 0.0;
        for (int64_t k = 1; k < K; ++k)
            for (int64_t r = 0; r < padded; ++r) most[r] = z[k * TILE + r] > most[r] ? z[k * TILE + r] : most[r];
        for (int64_t k = 0; k < K; ++k)
            for (int64_t r = 0; r < padded; ++r) {
                z[k * TILE + r] -= most[r];
                sum[r] += exponential(z[k * TILE + r]);
            }
        for (int64_t r = 0; r < m; ++r) {
            const double log_sum = std::log(sum[r]);
            double loss = 0.0;
            for (int64_t k = 0; k < K; ++k) loss += t[k * TILE + r] * (log_sum - z[k * TILE + r]);
            value += weight[r] * loss;
        }
        if (!slope) continue;
        for (int64_t k = 0; k < K; ++k)
            for (int64_t r = 0; r < padded; ++r) z[k * TILE + r] = exponential(z[k * TILE + r]) / sum[r];
        double *u = reinterpret_cast<double *>(room.u);
        for (int64_t k = 0; k < K; ++k) {
            for (int64_t r = 0; r < padded; ++r) u[r] = weight[r] * (z[k * TILE + r] - t[k * TILE + r]);
            for (int64_t j = 0; j < p; ++j) {
                Lanes sums = {};
                for (int64_t g = 0; g < groups; ++g) sums += room.u[g] * room.f[j * GROUPS + g];
                slope[k * p + j] += total(sums);
            }
            for (int64_t l = 0; l <= k; ++l) {
                const double same = k == l ? 1.0 : 0.0;
                for (int64_t r = 0; r < padded; ++r) u[r] = weight[r] * z[k * TILE + r] * (same - z[l * TILE + r]);
                for (int64_t i = 0; i < p; ++i) {
                    Lanes share[GROUPS];
                    for (int64_t g = 0; g < groups; ++g) share[g] = room.u[g] * room.f[i * GROUPS + g];
                    for (int64_t j = 0; j <= i; ++j) {
                        Lanes sums = {};
                        for (int64_t g = 0; g < groups; ++g) sums += share[g] * room.f[j * GROUPS + g];
                        second[(k * p + i) * width + l * p + j] += total(sums);
                    }
                }
            }
        }
    }
    for (int64_t k = 0; k < K; ++k)
        for (int64_t j = 0; j < p; ++j) {
            const double a = problem.penalty[j], w = W[k * p + j];
            value += 0.5 * a * w * w;
            if (slope) slope[k * p + j] += a * w, second[(k * p + j) * (width + 1)] += a;
        }
    if (slope)  // the blocks off the diagonal are symmetric themselves
        for (int64_t k = 0; k < K; ++k)
            for (int64_t l = 0; l < k; ++l)
                for (int64_t i = 0; i < p; ++i)
                    for (int64_t j = i + 1; j < p; ++j)
                        second[(k * p + i) * width + l * p + j] = second[(k * p + j) * width + l * p + i];
    return value;
}

// step = -(A + RIDGE diag A)^-1 slope by Cholesky, lower triangle of A overwritten; false if A is not definite.
HOT bool newton_step(double *A, const double *slope, int64_t width, double *step) {
    for (int64_t i = 0; i < width; ++i) {
        double *row = A + i * width;
        const double own = row[i] > 0.0 ? row[i] * (1.0 + RIDGE) : 1.0;
        double left = own;
        for (int64_t j = 0; j < i; ++j) {
            const double *other = A + j * width;
            double sum = row[j];
            for (int64_t c = 0; c < j; ++c) sum -= row[c] * other[c];
            row[j] = sum / other[j];
            left -= row[j] * row[j];
        }
        if (!(left > 1e-14 * own)) return false;
        row[i] = std::sqrt(left);
    }
    for (int64_t i = 0; i < width; ++i) {
        double sum = -slope[i];
        for (int64_t j = 0; j < i; ++j) sum -= A[i * width + j] * step[j];
        step[i] = sum / A[i * width + i];
    }
    for (int64_t i = width - 1; i >= 0; --i) {
        step[i] /= A[i * width + i];
        for (int64_t j = 0; j < i; ++j) step[j] -= A[i * width + j] * step[i];
    }
    return true;
}

// At most `steps` steps from W, which is moved; how many were taken.
int64_t improve(In2<double> F,  // in      (n, p)
                In2<double> target,  // in      (n, K)
                In1<double> weight,  // in      (n,)
                In1<double> penalty,  // in      (p,)
                InOut2<double> W,  // in/out  (K, p)
                int64_t steps) {
    const int64_t n = F.shape(0), p = F.shape(1), K = length(W), most = 4096;
    require(p > 0 && K > 0 && p <= most && K <= most && K * p <= most,
            "improve: at least one feature and class, at most 4096 weights");
    require(length(target) == n && int64_t(target.shape(1)) == K && length(weight) == n && length(penalty) == p &&
                int64_t(W.shape(1)) == p,
            "improve: targets, weights and penalties must fit the rows and features");
    require(steps >= 0 && steps <= MOST_STEPS, "improve: from 0 to 65536 steps");
    nb::gil_scoped_release unlocked;
    const int64_t width = K * p;
    const Problem problem{view(F), view(target), weight.data(), penalty.data(), n, p, K};
    Room room(p, K);
    std::vector<double> slope(width), second(width * width), step(width), trial(width);
    int64_t taken = 0;
    for (; taken < steps; ++taken) {
        const double value = look(problem, room, W.data(), slope.data(), second.data());
        if (!newton_step(second.data(), slope.data(), width, step.data()))
            for (int64_t i = 0; i < width; ++i) step[i] = -slope[i];
        double fall = 0.0;
        for (int64_t i = 0; i < width; ++i) fall += slope[i] * step[i];
        if (!(fall < 0.0)) break;
        double length = 1.0;
        for (; length > SHORTEST; length *= 0.5) {
            for (int64_t i = 0; i < width; ++i) trial[i] = W.data()[i] + length * step[i];
            if (look(problem, room, trial.data(), nullptr, nullptr) <= value + SUFFICIENT * length * fall) break;
        }
        if (!(length > SHORTEST) || std::equal(trial.begin(), trial.end(), W.data())) break;
        std::copy(trial.begin(), trial.end(), W.data());
    }
    return taken;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "improve", &improve, "F", "target", "weight", "penalty", "W", "steps"); }
