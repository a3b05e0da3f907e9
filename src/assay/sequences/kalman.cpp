// Kalman filter and Rauch-Tung-Striebel smoother of many sequences with gaps.
//
//     z_t = F z_t-1 + w,  w ~ N(0, Q),      y_t = H z_t + v,  v ~ N(0, R),      z_1 ~ N(m, P)
//     S = H P- H' + R,   K = P- H' S^-1,   m = m- + K (y - H m-),   P = P- - K S K'
//     J_t = P_t F' (P-_t+1)^-1,   m^s_t = m_t + J_t (m^s_t+1 - m-_t+1),   P^s_t = P_t + J_t (P^s_t+1 - P-_t+1) J_t'
//
// Entries of y that are NaN are left out of S, row by row. While rows are complete, covariances come to rest (to the
// last digits); from there on they are copied. Twin in NumPy: tests/sequences/test_linear_dynamical_system.py.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double AT_REST = 1e-15;  // change of a covariance, relative to its largest entry, that is rounding
constexpr double LEAST_PIVOT = 1e-13;  // of a covariance, relative to its diagonal: what is below has no spread

// Whether two covariances are the same but for rounding.
INLINE bool at_rest(const double *A, const double *B, int64_t n) {
    double most = 0.0, change = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const double a = std::fabs(A[i]), d = std::fabs(A[i] - B[i]);
        most = a > most ? a : most;
        change = d > change ? d : change;
    }
    return change <= AT_REST * most;
}

// y = A x of (n, k).
INLINE void apply(const double *A, const double *x, int64_t n, int64_t k, double *y) {
    for (int64_t i = 0; i < n; ++i) {
        double s = 0.0;
        for (int64_t l = 0; l < k; ++l) s += A[i * k + l] * x[l];
        y[i] = s;
    }
}

// L L' = A in place, lower triangle; a direction without spread gets a zero column. Whether all had some.
INLINE bool factor(double *A, int64_t m) {
    bool whole = true;
    for (int64_t j = 0; j < m; ++j) {
        const double before = A[j * m + j];
        double pivot = before;
        for (int64_t k = 0; k < j; ++k) pivot -= A[j * m + k] * A[j * m + k];
        const bool none = !(pivot > LEAST_PIVOT * before);
        whole &= !none;
        const double root = none ? 0.0 : std::sqrt(pivot);
        A[j * m + j] = root;
        for (int64_t i = j + 1; i < m; ++i) {
            double s = A[i * m + j];
            for (int64_t k = 0; k < j; ++k) s -= A[i * m + k] * A[j * m + k];
            A[i * m + j] = none ? 0.0 : s / root;
        }
    }
    return whole;
}

// x := (L L')^-1 x.
INLINE void solve(const double *L, int64_t m, double *x) {
    for (int64_t i = 0; i < m; ++i) {
        double s = x[i];
        for (int64_t k = 0; k < i; ++k) s -= L[i * m + k] * x[k];
        x[i] = L[i * m + i] > 0.0 ? s / L[i * m + i] : 0.0;
    }
    for (int64_t i = m - 1; i >= 0; --i) {
        double s = x[i];
        for (int64_t k = i + 1; k < m; ++k) s -= L[k * m + i] * x[k];
        x[i] = L[i * m + i] > 0.0 ? s / L[i * m + i] : 0.0;
    }
}

// C = A B of (n, k) and (k, m); C = A B' of (n, k) and (m, k).
INLINE void times(const double *A, const double *B, int64_t n, int64_t k, int64_t m, double *C) {
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < m; ++j) C[i * m + j] = 0.0;
        for (int64_t l = 0; l < k; ++l)
            for (int64_t j = 0; j < m; ++j) C[i * m + j] += A[i * k + l] * B[l * m + j];
    }
}
INLINE void times_turned(const double *A, const double *B, int64_t n, int64_t k, int64_t m, double *C) {
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < m; ++j) {
            double s = 0.0;
            for (int64_t l = 0; l < k; ++l) s += A[i * k + l] * B[j * k + l];
            C[i * m + j] = s;
        }
}

struct System {
    In2<double> F, H, Q, R;  // (D, D), (m, D), (D, D), (m, m)
    In1<double> mean;  // (D,)
    In2<double> covariance;  // (D, D)
    void check() const {
        const int64_t D = length(mean), m = length(H);
        const auto shaped = [](const In2<double> &a, int64_t n, int64_t d) {
            return length(a) == n && int64_t(a.shape(1)) == d;
        };
        require(D > 0 && m > 0 && shaped(F, D, D) && shaped(H, m, D) && shaped(Q, D, D) && shaped(R, m, m) &&
                    shaped(covariance, D, D),
                "System: the matrices must fit each other");
    }
};

HOT void filter_rows(const System &s, const double *Y, int64_t m, const In1<int64_t> &begin, double *predicted,
                     double *predicted_covariance, double *mean, double *covariance, double *logs) {
    const int64_t D = length(s.mean), DD = D * D;
    const double *F = s.F.data(), *H = s.H.data(), *Q = s.Q.data(), *R = s.R.data();
    std::vector<double> gain(D * m), HP(m * D), S(m * m), gap(m), column(m), room(DD);
    std::vector<int64_t> there(m);
    for (int64_t q = 0; q + 1 < length(begin); ++q) {
        double total = 0.0, log_det = 0.0;
        bool whole = true, complete = false, rests = false;  // complete: the row before
        for (int64_t t = begin.data()[q]; t < begin.data()[q + 1]; ++t) {
            double *mp = predicted + t * D, *Pp = predicted_covariance + t * DD;
            double *mf = mean + t * D, *Pf = covariance + t * DD;
            const double *y = Y + t * m;
            int64_t k = 0;
            for (int64_t i = 0; i < m; ++i)
                if (y[i] == y[i]) there[k++] = i;
            rests &= k == m;
            if (t == begin.data()[q]) {
                std::copy_n(s.mean.data(), D, mp);
                std::copy_n(s.covariance.data(), DD, Pp);
            } else {
                apply(F, mf - D, D, D, mp);
                if (rests) std::copy_n(Pp - DD, DD, Pp);
                else {
                    times(F, Pf - DD, D, D, D, room.data());
                    times_turned(room.data(), F, D, D, D, Pp);
                    for (int64_t i = 0; i < DD; ++i) Pp[i] += Q[i];
                    rests = complete && k == m && at_rest(Pp, Pp - DD, DD);
                }
            }
            complete = k == m;
            std::copy_n(mp, D, mf);
            if (k == 0) {
                std::copy_n(Pp, DD, Pf);
                continue;
            }
            for (int64_t a = 0; a < k; ++a) {
                const double *h = H + there[a] * D;
                double expected = 0.0;
                for (int64_t j = 0; j < D; ++j) expected += h[j] * mp[j];
                gap[a] = y[there[a]] - expected;
            }
            if (!rests) {
                for (int64_t a = 0; a < k; ++a) times(H + there[a] * D, Pp, 1, D, D, HP.data() + a * D);
                for (int64_t a = 0; a < k; ++a)
                    for (int64_t b = 0; b < k; ++b) {
                        const double *h = H + there[b] * D;
                        double sum = R[there[a] * m + there[b]];
                        for (int64_t j = 0; j < D; ++j) sum += HP[a * D + j] * h[j];
                        S[a * k + b] = sum;
                    }
                whole = factor(S.data(), k);
                log_det = 0.0;
                for (int64_t a = 0; a < k; ++a) log_det += 2.0 * std::log(S[a * k + a]);
            }
            double squares = 0.0;
            for (int64_t a = 0; a < k; ++a) column[a] = gap[a];
            solve(S.data(), k, column.data());
            for (int64_t a = 0; a < k; ++a) squares += gap[a] * column[a];
            total += whole ? -0.5 * (double(k) * 1.83787706640934548356 + log_det + squares)
                           : std::numeric_limits<double>::quiet_NaN();
            if (!rests)
                for (int64_t j = 0; j < D; ++j) {  // rows of the gain: S^-1 (H P-) column by column
                    for (int64_t a = 0; a < k; ++a) column[a] = HP[a * D + j];
                    solve(S.data(), k, column.data());
                    for (int64_t a = 0; a < k; ++a) gain[j * k + a] = column[a];
                }
            for (int64_t j = 0; j < D; ++j)
                for (int64_t a = 0; a < k; ++a) mf[j] += gain[j * k + a] * gap[a];
            if (rests) {
                std::copy_n(Pf - DD, DD, Pf);
                continue;
            }
            for (int64_t j = 0; j < D; ++j)
                for (int64_t l = 0; l <= j; ++l) {
                    double sum = 0.0;
                    for (int64_t a = 0; a < k; ++a)
                        sum += 0.5 * (gain[j * k + a] * HP[a * D + l] + gain[l * k + a] * HP[a * D + j]);
                    Pf[j * D + l] = Pf[l * D + j] = 0.5 * (Pp[j * D + l] + Pp[l * D + j]) - sum;
                }
        }
        logs[q] = total;
    }
}

HOT void smooth_rows(const System &s, const In1<int64_t> &begin, const double *predicted,
                     const double *predicted_covariance, double *mean, double *covariance, double *lagged) {
    const int64_t D = length(s.mean), DD = D * D;
    std::vector<double> L(DD), J(DD), FP(DD), gap(DD), room(DD), column(D), before(DD);
    const auto same = [DD](const double *A, const double *B) { return !std::memcmp(A, B, DD * sizeof(double)); };
    for (int64_t q = 0; q + 1 < length(begin); ++q) {
        const int64_t a = begin.data()[q], b = begin.data()[q + 1];
        bool rests = false;  // the smoothed covariances, too
        for (int64_t t = b - 1; t >= a; --t) {
            double *lag = lagged + t * DD;
            if (t == b - 1) {
                std::fill_n(lag, DD, 0.0);
                continue;
            }
            double *m = mean + t * D, *P = covariance + t * DD;
            const double *mp = predicted + (t + 1) * D, *Pp = predicted_covariance + (t + 1) * DD;
            const double *ms = m + D, *Ps = P + DD;
            const bool again = t < b - 2 && same(Pp, Pp + DD) && same(P, before.data());
            rests &= again;
            std::copy_n(P, DD, before.data());
            if (!again) {
                std::copy_n(Pp, DD, L.data());
                factor(L.data(), D);
                times(s.F.data(), P, D, D, D, FP.data());  // (P F')' = F P
                for (int64_t i = 0; i < D; ++i) {
                    for (int64_t j = 0; j < D; ++j) column[j] = FP[j * D + i];
                    solve(L.data(), D, column.data());
                    for (int64_t j = 0; j < D; ++j) J[i * D + j] = column[j];
                }
            }
            for (int64_t i = 0; i < D; ++i)
                for (int64_t j = 0; j < D; ++j) m[i] += J[i * D + j] * (ms[j] - mp[j]);
            if (rests) {
                std::copy_n(Ps, DD, P);
                std::copy_n(lag + DD, DD, lag);
                continue;
            }
            for (int64_t i = 0; i < DD; ++i) gap[i] = Ps[i] - Pp[i];
            times(J.data(), gap.data(), D, D, D, room.data());
            times_turned(room.data(), J.data(), D, D, D, gap.data());
            for (int64_t i = 0; i < D; ++i)
                for (int64_t j = 0; j <= i; ++j)
                    P[i * D + j] = P[j * D + i] = P[i * D + j] + 0.5 * (gap[i * D + j] + gap[j * D + i]);
            times_turned(Ps, J.data(), D, D, D, lag);
            rests = again && at_rest(P, Ps, DD);
        }
    }
}

void filter(const System &s, In2<double> Y,  // in      (n, m) NaN where missing
            In1<int64_t> begin,  // in      (S + 1,)
            InOut2<double> predicted, InOut2<double> predicted_covariance,  // out     (n, D), (n, D D)
            InOut2<double> mean, InOut2<double> covariance,  // out     (n, D), (n, D D)
            InOut1<double> logs) {  // out     (S,)
    const int64_t n = Y.shape(0), m = Y.shape(1), D = length(s.mean), DD = sized(D, D, "filter: too many states");
    require(m == length(s.H) && shares_out(begin, length(begin) - 1, n, true) && length(logs) == length(begin) - 1,
            "filter: begin must share out the rows");
    for (const auto *a : {&predicted, &mean})
        require(length(*a) == n && int64_t(a->shape(1)) == D, "filter: a mean for each row");
    for (const auto *a : {&predicted_covariance, &covariance})
        require(length(*a) == n && int64_t(a->shape(1)) == DD, "filter: a covariance for each row");
    nb::gil_scoped_release unlocked;
    filter_rows(s, Y.data(), m, begin, predicted.data(), predicted_covariance.data(), mean.data(), covariance.data(),
                logs.data());
}

void smooth(const System &s, In1<int64_t> begin, In2<double> predicted, In2<double> predicted_covariance,
            InOut2<double> mean, InOut2<double> covariance,  // in/out  filtered, then smoothed
            InOut2<double> lagged) {  // out     (n, D D) covariance of z_t+1 and z_t; 0 in the last row
    const int64_t n = mean.shape(0), D = length(s.mean), DD = sized(D, D, "smooth: too many states");
    require(shares_out(begin, length(begin) - 1, n, true), "smooth: begin must share out the rows");
    require(length(predicted) == n && int64_t(predicted.shape(1)) == D && int64_t(mean.shape(1)) == D,
            "smooth: a mean for each row");
    require(length(predicted_covariance) == n && int64_t(predicted_covariance.shape(1)) == DD &&
                length(covariance) == n && int64_t(covariance.shape(1)) == DD && length(lagged) == n &&
                int64_t(lagged.shape(1)) == DD,
            "smooth: a covariance for each row");
    nb::gil_scoped_release unlocked;
    smooth_rows(s, begin, predicted.data(), predicted_covariance.data(), mean.data(), covariance.data(), lagged.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<System>(m, "System", field("F", &System::F), field("H", &System::H), field("Q", &System::Q),
                   field("R", &System::R), field("mean", &System::mean), field("covariance", &System::covariance));
    define(m, "filter", &filter, "system", "Y", "begin", "predicted", "predicted_covariance", "mean", "covariance",
           "logs");
    define(m, "smooth", &smooth, "system", "begin", "predicted", "predicted_covariance", "mean", "covariance",
           "lagged");
}
