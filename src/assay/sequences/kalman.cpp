// Kalman filter and Rauch-Tung-Striebel smoother of many sequences with gaps.
//
//     z_t = F z_t-1 + w,  w ~ N(0, Q),      y_t = H z_t + v,  v ~ N(0, R),      z_1 ~ N(m, P)
//     S = H P- H' + R,   K = P- H' S^-1,   m = m- + K (y - H m-),   P = P- - K S K'
//     J_t = P_t F' (P-_t+1)^-1,   m^s_t = m_t + J_t (m^s_t+1 - m-_t+1),   P^s_t = P_t + J_t (P^s_t+1 - P-_t+1) J_t'
//
// Entries of y that are NaN are left out of S, row by row. Twin in NumPy:
// tests/sequences/test_linear_dynamical_system.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double LEAST_PIVOT = 1e-13;  // of a covariance, relative to its diagonal: what is below has no spread

// L L' = A in place, lower triangle; a direction without spread gets a zero column. Whether all had some.
bool factor(double *A, int64_t m) {
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
void solve(const double *L, int64_t m, double *x) {
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
void times(const double *A, const double *B, int64_t n, int64_t k, int64_t m, double *C) {
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < m; ++j) C[i * m + j] = 0.0;
        for (int64_t l = 0; l < k; ++l)
            for (int64_t j = 0; j < m; ++j) C[i * m + j] += A[i * k + l] * B[l * m + j];
    }
}
void times_turned(const double *A, const double *B, int64_t n, int64_t k, int64_t m, double *C) {
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
    std::vector<double> gain(D * m), HP(m * D), S(m * m), gap(m), column(m), room(DD);
    std::vector<int64_t> there(m);
    for (int64_t q = 0; q + 1 < length(begin); ++q) {
        double total = 0.0;
        for (int64_t t = begin.data()[q]; t < begin.data()[q + 1]; ++t) {
            double *mp = predicted.data() + t * D, *Pp = predicted_covariance.data() + t * DD;
            double *mf = mean.data() + t * D, *Pf = covariance.data() + t * DD;
            if (t == begin.data()[q]) {
                std::copy_n(s.mean.data(), D, mp);
                std::copy_n(s.covariance.data(), DD, Pp);
            } else {
                times(s.F.data(), mf - D, D, D, 1, mp);
                times(s.F.data(), Pf - DD, D, D, D, room.data());
                times_turned(room.data(), s.F.data(), D, D, D, Pp);
                for (int64_t i = 0; i < DD; ++i) Pp[i] += s.Q.data()[i];
            }
            std::copy_n(mp, D, mf);
            std::copy_n(Pp, DD, Pf);
            const double *y = Y.data() + t * m;
            int64_t k = 0;
            for (int64_t i = 0; i < m; ++i)
                if (y[i] == y[i]) there[k++] = i;
            if (k == 0) continue;
            for (int64_t a = 0; a < k; ++a) {
                const double *h = s.H.data() + there[a] * D;
                double expected = 0.0;
                for (int64_t j = 0; j < D; ++j) {
                    double sum = 0.0;
                    for (int64_t l = 0; l < D; ++l) sum += h[l] * Pp[l * D + j];
                    HP[a * D + j] = sum;
                    expected += h[j] * mp[j];
                }
                gap[a] = y[there[a]] - expected;
            }
            for (int64_t a = 0; a < k; ++a)
                for (int64_t b = 0; b < k; ++b) {
                    const double *h = s.H.data() + there[b] * D;
                    double sum = s.R.data()[there[a] * m + there[b]];
                    for (int64_t j = 0; j < D; ++j) sum += HP[a * D + j] * h[j];
                    S[a * k + b] = sum;
                }
            const bool whole = factor(S.data(), k);
            double squares = 0.0, log_det = 0.0;
            for (int64_t a = 0; a < k; ++a) column[a] = gap[a];
            solve(S.data(), k, column.data());
            for (int64_t a = 0; a < k; ++a) {
                squares += gap[a] * column[a];
                log_det += 2.0 * std::log(S[a * k + a]);
            }
            total += whole ? -0.5 * (double(k) * 1.83787706640934548356 + log_det + squares)
                           : std::numeric_limits<double>::quiet_NaN();
            for (int64_t j = 0; j < D; ++j) {  // rows of the gain: S^-1 (H P-) column by column
                for (int64_t a = 0; a < k; ++a) column[a] = HP[a * D + j];
                solve(S.data(), k, column.data());
                for (int64_t a = 0; a < k; ++a) gain[j * k + a] = column[a];
            }
            for (int64_t j = 0; j < D; ++j) {
                for (int64_t a = 0; a < k; ++a) mf[j] += gain[j * k + a] * gap[a];
                for (int64_t l = 0; l <= j; ++l) {
                    double sum = 0.0;
                    for (int64_t a = 0; a < k; ++a)
                        sum += 0.5 * (gain[j * k + a] * HP[a * D + l] + gain[l * k + a] * HP[a * D + j]);
                    Pf[j * D + l] = Pf[l * D + j] = 0.5 * (Pp[j * D + l] + Pp[l * D + j]) - sum;
                }
            }
        }
        logs.data()[q] = total;
    }
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
    std::vector<double> L(DD), J(DD), FP(DD), gap(DD), room(DD), column(D);
    for (int64_t q = 0; q + 1 < length(begin); ++q) {
        const int64_t a = begin.data()[q], b = begin.data()[q + 1];
        for (int64_t t = b - 1; t >= a; --t) {
            double *lag = lagged.data() + t * DD;
            if (t == b - 1) {
                std::fill_n(lag, DD, 0.0);
                continue;
            }
            double *m = mean.data() + t * D, *P = covariance.data() + t * DD;
            const double *mp = predicted.data() + (t + 1) * D, *Pp = predicted_covariance.data() + (t + 1) * DD;
            const double *ms = m + D, *Ps = P + DD;
            std::copy_n(Pp, DD, L.data());
            factor(L.data(), D);
            times(s.F.data(), P, D, D, D, FP.data());  // (P F')' = F P
            for (int64_t i = 0; i < D; ++i) {
                for (int64_t j = 0; j < D; ++j) column[j] = FP[j * D + i];
                solve(L.data(), D, column.data());
                for (int64_t j = 0; j < D; ++j) J[i * D + j] = column[j];
            }
            for (int64_t i = 0; i < D; ++i)
                for (int64_t j = 0; j < D; ++j) m[i] += J[i * D + j] * (ms[j] - mp[j]);
            for (int64_t i = 0; i < DD; ++i) gap[i] = Ps[i] - Pp[i];
            times(J.data(), gap.data(), D, D, D, room.data());
            times_turned(room.data(), J.data(), D, D, D, gap.data());
            for (int64_t i = 0; i < D; ++i)
                for (int64_t j = 0; j <= i; ++j)
                    P[i * D + j] = P[j * D + i] = P[i * D + j] + 0.5 * (gap[i * D + j] + gap[j * D + i]);
            times_turned(Ps, J.data(), D, D, D, lag);
        }
    }
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
