// Matern's kernel of nu = p + 1/2 as a chain of s = p + 1 states: what happens over a gap of z = lambda * distance.
//
//     A(z) = e^-z sum_k z^k powers_k,    Q(z) = sum_k P(k + 1, 2 z) integrals_k,    k = 0 .. 2p                (1)
//
// with P(k, x) the regularised lower incomplete gamma function. That of the highest order comes from its series where x
// is small, the others by P(k, x) = P(k + 1, x) + x^k e^-x / k!, additions of positive numbers, so that all entries of
// Q have their digits however small the gap. The derivatives are
//
//     A'(z) = e^-z sum_k z^k slopes_k,    Q'(z) = e^-2z sum_k z^k outer_k                                        (2)
//
// Twin in NumPy: tests/processes/test_state_space.py.
#include <algorithm>
#include <cmath>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int MOST_STATES = 4;
constexpr double SERIES_BELOW = 1.5, SHORT_SERIES_BELOW = 0.1;
constexpr int SERIES_TERMS = 18, SHORT_SERIES_TERMS = 9;  // so that what is left out is below 1e-17

// The matrices of (1) and (2), a line for each k.
struct Matern {
    In2<double> powers, slopes;  // in  (s, s s)
    In2<double> outer, integrals;  // in  (2 s - 1, s s)

    void check() const {
        const int64_t s = length(powers), orders = 2 * s - 1, q = s * s;
        require(s >= 1 && s <= MOST_STATES, "chain: too many states");
        require(length(slopes) == s && length(outer) == orders && length(integrals) == orders,
                "chain: the tables do not fit");
        for (const auto *table : {&powers, &slopes, &outer, &integrals})
            require(int64_t(table->shape(1)) == q, "chain: the tables do not fit");
    }
};

void check_gaps(const Matern &matern, int64_t n, int64_t rows_A, int64_t columns_A, int64_t rows_Q, int64_t columns_Q) {
    const int64_t q = length(matern.powers) * length(matern.powers);
    require(rows_A == n && columns_A == q, "chain: A does not fit");
    require(rows_Q == n && columns_Q == q, "chain: Q does not fit");
}

template <int s>
void fill(const Matern &matern, const double *z, int64_t n, double *A, double *Q) {
    constexpr int q = s * s, orders = 2 * s - 1;
    double powers[q * s], integrals[q * orders];
    std::copy(matern.powers.data(), matern.powers.data() + q * s, powers);
    std::copy(matern.integrals.data(), matern.integrals.data() + q * orders, integrals);
    for (int64_t i = 0; i < n; ++i, A += q, Q += q) {
        const double x = 2.0 * z[i], decay = std::exp(-z[i]);
        double terms[orders + 1], gammas[orders];  // x^k e^-x / k!
        terms[0] = decay * decay;
        for (int k = 1; k <= orders; ++k) terms[k] = terms[k - 1] * x * (1.0 / k);
        if (x < SERIES_BELOW) {
            double series = 1.0;
            for (int j = x < SHORT_SERIES_BELOW ? SHORT_SERIES_TERMS : SERIES_TERMS; j > 0; --j)
                series = series * x * (1.0 / (orders + j)) + 1.0;
            gammas[orders - 1] = terms[orders] * series;
        } else {
            double above = 0.0;
            for (int k = 0; k < orders; ++k) above += terms[k];
            gammas[orders - 1] = 1.0 - above;
        }
        for (int k = orders - 1; k > 0; --k) gammas[k - 1] = gammas[k] + terms[k];
        double power = decay;
        for (int e = 0; e < q; ++e) A[e] = Q[e] = 0.0;
        for (int k = 0; k < s; ++k, power *= z[i])
            for (int e = 0; e < q; ++e) A[e] += power * powers[k * q + e];
        for (int k = 0; k < orders; ++k)
            for (int e = 0; e < q; ++e) Q[e] += gammas[k] * integrals[k * q + e];
    }
}

template <int s>
double slope(const Matern &matern, const double *z, int64_t n, const double *by_A, const double *by_Q) {
    constexpr int q = s * s, orders = 2 * s - 1;
    double slopes[q * s], outer[q * orders], total = 0.0;
    std::copy(matern.slopes.data(), matern.slopes.data() + q * s, slopes);
    std::copy(matern.outer.data(), matern.outer.data() + q * orders, outer);
    for (int64_t i = 0; i < n; ++i, by_A += q, by_Q += q) {
        const double decay = std::exp(-z[i]);
        double power = decay, of_A = 0.0, of_Q = 0.0;
        for (int k = 0; k < s; ++k, power *= z[i]) {
            double sum = 0.0;
            for (int e = 0; e < q; ++e) sum += by_A[e] * slopes[k * q + e];
            of_A += power * sum;
        }
        power = decay * decay;
        for (int k = 0; k < orders; ++k, power *= z[i]) {
            double sum = 0.0;
            for (int e = 0; e < q; ++e) sum += by_Q[e] * outer[k * q + e];
            of_Q += power * sum;
        }
        total += z[i] * (of_A + of_Q);
    }
    return total;
}

// A and Q of (1) for each gap.
void links(const Matern &matern, In1<double> z, InOut2<double> A, InOut2<double> Q) {
    const int64_t n = length(z);
    check_gaps(matern, n, length(A), int64_t(A.shape(1)), length(Q), int64_t(Q.shape(1)));
    const nb::gil_scoped_release unlocked;
    switch (length(matern.powers)) {
        case 1: return fill<1>(matern, z.data(), n, A.data(), Q.data());
        case 2: return fill<2>(matern, z.data(), n, A.data(), Q.data());
        case 3: return fill<3>(matern, z.data(), n, A.data(), Q.data());
        default: return fill<4>(matern, z.data(), n, A.data(), Q.data());
    }
}

// The sum over gaps of z times the derivative by z, of a function whose derivatives by A and Q are given.
double sum_of_slopes(const Matern &matern, In1<double> z, In2<double> by_A, In2<double> by_Q) {
    const int64_t n = length(z);
    check_gaps(matern, n, length(by_A), int64_t(by_A.shape(1)), length(by_Q), int64_t(by_Q.shape(1)));
    const nb::gil_scoped_release unlocked;
    switch (length(matern.powers)) {
        case 1: return slope<1>(matern, z.data(), n, by_A.data(), by_Q.data());
        case 2: return slope<2>(matern, z.data(), n, by_A.data(), by_Q.data());
        case 3: return slope<3>(matern, z.data(), n, by_A.data(), by_Q.data());
        default: return slope<4>(matern, z.data(), n, by_A.data(), by_Q.data());
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Matern's kernels on a line as chains of states.";
    record<Matern>(m, "Matern", field("powers", &Matern::powers), field("slopes", &Matern::slopes),
                   field("outer", &Matern::outer), field("integrals", &Matern::integrals));
    define(m, "links", &links, "matern", "z", "A", "Q");
    define(m, "sum_of_slopes", &sum_of_slopes, "matern", "z", "by_A", "by_Q");
}
