// A Gaussian process on a line as a chain of states: Kalman's filter, and the recursion back that goes with it.
//
//     s_0 ~ N(0, P_0),    s_i = A_i s_{i-1} + N(0, Q_i),    y_i = h . s_i + N(0, noise_i)                      (1)
//
//     forward    a_i, P_i   mean and covariance of s_i given y_0 .. y_{i-1}
//                v = y_i - h . a_i,    F = h'P_i h + noise_i,    K = P_i h / F
//                m = a_i + K v,    C = P_i - K K'F,    a_{i+1} = A m,    P_{i+1} = A C A' + Q                 (2)
//
//     back       u = v / F - K'r,    D = 1 / F + K'N K,    r <- r + h u,    N <- (I - K h')'N (I - K h') + h h'/F
//                mean h'(a_i + P_i r),    variance h'P_i h - (P_i h)'N (P_i h),    then r <- A_i'r, N <- A_i'N A_i (3)
//
// u is the row's entry of (K + noise)^-1 y and D its diagonal entry of (K + noise)^-1. With G = (r r' - N) / 2 before
// the last step of (3), the derivative of the log evidence by Q_i is G, and by A_i it is r m' + 2 G A_i C of the row
// before. Several targets share P, F, K, N and D. A row of infinite noise says nothing: a missing target, or a point
// that is only asked for.
//
// Twin in NumPy: dense algebra in tests/processes/test_state_space.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t MOST_STATES = 128;  // n of them: the work is O(n s^3)

// The chain (1), and what the forward pass kept of it.
struct Chain {
    In2<double> A, Q;      // in  (n, s s)
    In2<double> P0;        // in  (s, s)
    In1<double> h, noise;  // in  (s,), (n,)

    void check() const {
        const int64_t s = length(h), n = length(noise);
        require(s >= 1 && s <= MOST_STATES, "state space: too many states");
        require(int64_t(P0.shape(0)) == s && int64_t(P0.shape(1)) == s, "state space: P0 does not fit");
        require(length(A) == n && int64_t(A.shape(1)) == s * s, "state space: A does not fit");
        require(length(Q) == n && int64_t(Q.shape(1)) == s * s, "state space: Q does not fit");
    }
};

struct Pass {
    InOut2<double> mean;        // (n, T s)  a_i of each target
    InOut2<double> covariance;  // (n, s s)  P_i
    InOut2<double> innovation;  // (n, T)    v_i
    InOut1<double> variance;    // (n,)      F_i
};

void check_pass(const Chain &chain, const Pass &pass, int64_t T) {
    const int64_t s = length(chain.h), n = length(chain.noise);
    require(length(pass.mean) == n && int64_t(pass.mean.shape(1)) == T * s, "state space: mean does not fit");
    require(length(pass.covariance) == n && int64_t(pass.covariance.shape(1)) == s * s,
            "state space: covariance does not fit");
    require(length(pass.innovation) == n && int64_t(pass.innovation.shape(1)) == T,
            "state space: innovation does not fit");
    require(length(pass.variance) == n, "state space: variance does not fit");
}

INLINE double dot(const double *a, const double *b, int64_t s) {
    double sum = 0;
    for (int64_t i = 0; i < s; ++i) sum += a[i] * b[i];
    return sum;
}

INLINE void times(const double *M, const double *x, int64_t s, double *out) {  // out = M x
    for (int64_t i = 0; i < s; ++i) out[i] = dot(M + i * s, x, s);
}

// K = P h / F, and C = P - K K'F, exactly symmetric. K = 0 and C = P for a row that says nothing.
INLINE void condition(const double *P, const double *h, double F, int64_t s, double *K, double *C) {
    const double inverse = std::isinf(F) ? 0.0 : 1.0 / F;
    times(P, h, s, K);
    for (int64_t i = 0; i < s; ++i)
        for (int64_t j = 0; j <= i; ++j) C[i * s + j] = C[j * s + i] = P[i * s + j] - K[i] * (K[j] * inverse);
    for (int64_t i = 0; i < s; ++i) K[i] *= inverse;
}

// out = A C, then P = out A' + Q, exactly symmetric.
INLINE void move(const double *A, const double *C, const double *Q, int64_t s, double *AC, double *P) {
    for (int64_t i = 0; i < s; ++i)
        for (int64_t j = 0; j < s; ++j) {
            double sum = 0;
            for (int64_t k = 0; k < s; ++k) sum += A[i * s + k] * C[k * s + j];
            AC[i * s + j] = sum;
        }
    for (int64_t i = 0; i < s; ++i)
        for (int64_t j = 0; j <= i; ++j) P[i * s + j] = P[j * s + i] = dot(AC + i * s, A + j * s, s) + Q[i * s + j];
}

template <int S>
int64_t forward(const Chain &chain, const double *Y, int64_t T, const Pass &pass) {
    const int64_t s = S ? S : length(chain.h), n = length(chain.noise), q = s * s;
    const double *h = chain.h.data(), *noise = chain.noise.data();
    std::vector<double> work(size_t(s + 2 * q));
    double *K = work.data(), *C = K + s, *AC = C + q;
    for (int64_t i = 0; i < n; ++i) {
        double *a = pass.mean.data() + i * T * s, *P = pass.covariance.data() + i * q;
        if (i == 0) {
            std::copy(chain.P0.data(), chain.P0.data() + q, P);
            std::fill(a, a + T * s, 0.0);
        } else {
            const double *A = chain.A.data() + i * q, *v = pass.innovation.data() + (i - 1) * T;
            move(A, C, chain.Q.data() + i * q, s, AC, P);
            double m[S ? S : MOST_STATES];
            for (int64_t t = 0; t < T; ++t) {
                const double *before = a - T * s + t * s;
                for (int64_t k = 0; k < s; ++k) m[k] = before[k] + K[k] * v[t];
                times(A, m, s, a + t * s);
            }
        }
        times(P, h, s, K);
        const double F = dot(h, K, s) + noise[i];
        if (!(F > 0)) return i;
        pass.variance.data()[i] = F;
        for (int64_t t = 0; t < T; ++t)
            pass.innovation.data()[i * T + t] = std::isinf(F) ? 0.0 : Y[i * T + t] - dot(h, a + t * s, s);
        condition(P, h, F, s, K, C);
    }
    return n;
}

struct Back {
    double *u, *D;                // (n, T), (n,)            of the rows, or null
    double *mean, *variance;      // (n, T), (n,)            of h . s, or null
    double *by_A, *by_Q, *by_P0;  // (n, s s) twice, (s, s)  derivatives, or null
};

template <int S>
void backward(const Chain &chain, const Pass &pass, int64_t T, const Back &out) {
    const int64_t s = S ? S : length(chain.h), n = length(chain.noise), q = s * s;
    const double *h = chain.h.data();
    std::vector<double> work(size_t(T * s + 3 * s + 5 * q), 0.0);
    double *r = work.data(), *K = r + T * s, *NK = K + s, *m = NK + s, *N = m + s, *C = N + q, *G = C + q, *AC = G + q,
           *NA = AC + q;
    for (int64_t i = n - 1; i >= 0; --i) {
        const double *P = pass.covariance.data() + i * q, *a = pass.mean.data() + i * T * s;
        const double *v = pass.innovation.data() + i * T, F = pass.variance.data()[i];
        const double inverse = std::isinf(F) ? 0.0 : 1.0 / F;
        condition(P, h, F, s, K, C);
        times(N, K, s, NK);
        const double D = inverse + dot(K, NK, s);
        for (int64_t t = 0; t < T; ++t) {
            const double u = v[t] * inverse - dot(K, r + t * s, s);
            if (inverse > 0)
                for (int64_t k = 0; k < s; ++k) r[t * s + k] += h[k] * u;
            if (out.u) out.u[i * T + t] = inverse > 0 ? u : 0.0;
        }
        if (inverse > 0)
            for (int64_t k = 0; k < s; ++k)
                for (int64_t l = 0; l <= k; ++l)
                    N[k * s + l] = N[l * s + k] = N[k * s + l] - h[k] * NK[l] - NK[k] * h[l] + h[k] * h[l] * D;
        if (out.D) out.D[i] = inverse > 0 ? D : 0.0;
        if (out.mean) {
            times(P, h, s, K);
            for (int64_t t = 0; t < T; ++t) out.mean[i * T + t] = dot(h, a + t * s, s) + dot(K, r + t * s, s);
            times(N, K, s, NK);
            out.variance[i] = std::max(0.0, dot(h, K, s) - dot(K, NK, s));
        }
        if (out.by_Q) {
            double *by_Q = i ? out.by_Q + i * q : out.by_P0;
            for (int64_t k = 0; k < s; ++k)
                for (int64_t l = 0; l < s; ++l) {
                    double sum = -double(T) * N[k * s + l];
                    for (int64_t t = 0; t < T; ++t) sum += r[t * s + k] * r[t * s + l];
                    G[k * s + l] = sum;  // twice the G of the formula
                    by_Q[k * s + l] = 0.5 * sum;
                }
            if (i) {
                const double *A = chain.A.data() + i * q, *before = pass.covariance.data() + (i - 1) * q;
                const double F0 = pass.variance.data()[i - 1];
                condition(before, h, F0, s, K, C);
                double *by_A = out.by_A + i * q;
                for (int64_t k = 0; k < s; ++k)
                    for (int64_t l = 0; l < s; ++l) {
                        double sum = 0;
                        for (int64_t j = 0; j < s; ++j) sum += A[k * s + j] * C[j * s + l];
                        AC[k * s + l] = sum;
                    }
                for (int64_t k = 0; k < s; ++k)
                    for (int64_t l = 0; l < s; ++l) {
                        double sum = 0;
                        for (int64_t j = 0; j < s; ++j) sum += G[k * s + j] * AC[j * s + l];
                        by_A[k * s + l] = sum;
                    }
                for (int64_t t = 0; t < T; ++t) {
                    const double *a0 = pass.mean.data() + (i - 1) * T * s + t * s;
                    const double v0 = pass.innovation.data()[(i - 1) * T + t];
                    for (int64_t l = 0; l < s; ++l) m[l] = a0[l] + K[l] * v0;
                    for (int64_t k = 0; k < s; ++k)
                        for (int64_t l = 0; l < s; ++l) by_A[k * s + l] += r[t * s + k] * m[l];
                }
            } else {
                std::fill(out.by_A, out.by_A + q, 0.0);
                std::fill(out.by_Q, out.by_Q + q, 0.0);
            }
        }
        if (!i) break;
        const double *A = chain.A.data() + i * q;
        for (int64_t t = 0; t < T; ++t) {  // r = A'r
            for (int64_t l = 0; l < s; ++l) {
                double sum = 0;
                for (int64_t k = 0; k < s; ++k) sum += A[k * s + l] * r[t * s + k];
                m[l] = sum;
            }
            std::copy(m, m + s, r + t * s);
        }
        for (int64_t k = 0; k < s; ++k)
            for (int64_t l = 0; l < s; ++l) {
                double sum = 0;
                for (int64_t j = 0; j < s; ++j) sum += N[k * s + j] * A[j * s + l];
                NA[k * s + l] = sum;
            }
        for (int64_t k = 0; k < s; ++k)
            for (int64_t l = 0; l <= k; ++l) {
                double sum = 0;
                for (int64_t j = 0; j < s; ++j) sum += A[j * s + k] * NA[j * s + l];
                N[k * s + l] = N[l * s + k] = sum;
            }
    }
}

#define FOR_STATES(s, call)     \
    switch (s) {                \
        case 1: call(1); break; \
        case 2: call(2); break; \
        case 3: call(3); break; \
        case 4: call(4); break; \
        default: call(0);       \
    }

// Rows until the variance of one is not above 0: n if all went well.
int64_t filter(const Chain &chain, In2<double> Y, const Pass &pass) {
    const int64_t T = int64_t(Y.shape(1));
    require(length(Y) == length(chain.noise) && T >= 1, "state space: Y does not fit");
    check_pass(chain, pass, T);
    const nb::gil_scoped_release unlocked;
    int64_t done = 0;
#define CALL(S) done = forward<S>(chain, Y.data(), T, pass)
    FOR_STATES(length(chain.h), CALL)
#undef CALL
    return done;
}

void run_back(const Chain &chain, const Pass &pass, int64_t T, const Back &out) {
    const nb::gil_scoped_release unlocked;
#define CALL(S) backward<S>(chain, pass, T, out)
    FOR_STATES(length(chain.h), CALL)
#undef CALL
}

// Means and variances of h . s given all rows, (3).
void smooth(const Chain &chain, const Pass &pass, InOut2<double> mean, InOut1<double> variance) {
    const int64_t n = length(chain.noise), T = int64_t(mean.shape(1));
    require(length(mean) == n && length(variance) == n && T >= 1, "state space: results do not fit");
    check_pass(chain, pass, T);
    run_back(chain, pass, T, {nullptr, nullptr, mean.data(), variance.data(), nullptr, nullptr, nullptr});
}

// u and D of (3).
void solve(const Chain &chain, const Pass &pass, InOut2<double> u, InOut1<double> D) {
    const int64_t n = length(chain.noise), T = int64_t(u.shape(1));
    require(length(u) == n && length(D) == n && T >= 1, "state space: results do not fit");
    check_pass(chain, pass, T);
    run_back(chain, pass, T, {u.data(), D.data(), nullptr, nullptr, nullptr, nullptr, nullptr});
}

// u, D, and the derivatives of the log evidence by A_i, Q_i and P_0.
void score(const Chain &chain, const Pass &pass, InOut2<double> u, InOut1<double> D, InOut2<double> by_A,
           InOut2<double> by_Q, InOut2<double> by_P0) {
    const int64_t n = length(chain.noise), T = int64_t(u.shape(1)), s = length(chain.h);
    require(length(u) == n && length(D) == n && T >= 1, "state space: results do not fit");
    require(length(by_A) == n && int64_t(by_A.shape(1)) == s * s, "state space: by_A does not fit");
    require(length(by_Q) == n && int64_t(by_Q.shape(1)) == s * s, "state space: by_Q does not fit");
    require(length(by_P0) == s && int64_t(by_P0.shape(1)) == s, "state space: by_P0 does not fit");
    check_pass(chain, pass, T);
    if (n == 0) return;
    run_back(chain, pass, T, {u.data(), D.data(), nullptr, nullptr, by_A.data(), by_Q.data(), by_P0.data()});
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "A Gaussian process on a line as a chain of states.";
    record<Chain>(m, "Chain", field("A", &Chain::A), field("Q", &Chain::Q), field("P0", &Chain::P0),
                  field("h", &Chain::h), field("noise", &Chain::noise));
    record<Pass>(m, "Pass", field("mean", &Pass::mean), field("covariance", &Pass::covariance),
                 field("innovation", &Pass::innovation), field("variance", &Pass::variance));
    define(m, "filter", &filter, "chain", "Y", "pass_");
    define(m, "smooth", &smooth, "chain", "pass_", "mean", "variance");
    define(m, "solve", &solve, "chain", "pass_", "u", "D");
    define(m, "score", &score, "chain", "pass_", "u", "D", "by_A", "by_Q", "by_P0");
}
