// Quadratic scores of Gaussian classes.
//
//     out_ik = c_k - 1/2 || A_k (x_i - m_k) ||^2,    A_k lower triangular
//
// Eight rows go together, one to a lane: T holds them centred and turned, column after column. Four rows of A
// meet them at once, each product a lane's own sum. Right of the diagonal A is zero, so the last three columns
// of such a group of four cost little and change nothing.
//
// Checked by the caller: no NaN in X.
// Twin in NumPy: tests/bayes/test_own_covariances.py, scores_by_the_book.
#include <memory>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t LANES = 8;
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double))));

HOT void quadratic_rows(View2<const double> X, const double *means, const double *A, const double *c, int64_t K,
                        double *out) {
    const int64_t n = X.rows(), d = X.cols();
    std::vector<double> room(LANES * (d + 1));
    void *start = room.data();
    size_t space = room.size() * sizeof(double);
    Lanes *T = static_cast<Lanes *>(std::align(sizeof(Lanes), d * sizeof(Lanes), start, space));
    for (int64_t a = 0; a < n; a += LANES) {
        const int64_t m = n - a < LANES ? n - a : LANES;
        for (int64_t k = 0; k < K; ++k) {
            const double *mean = means + k * d, *W = A + k * d * d;
            for (int64_t j = 0; j < d; ++j)  // T = (x - m)', the lanes beyond the last row zero
                for (int64_t r = 0; r < LANES; ++r) T[j][r] = r < m ? X.row(a + r)[j] - mean[j] : 0.0;
            Lanes norm = {};
            int64_t i = 0;
            for (; i + 4 <= d; i += 4) {
                const double *w0 = W + i * d, *w1 = w0 + d, *w2 = w1 + d, *w3 = w2 + d;
                Lanes s0 = {}, s1 = {}, s2 = {}, s3 = {};
                for (int64_t j = 0; j < i + 4; ++j) {  // s = A (x - m)
                    s0 += w0[j] * T[j];
                    s1 += w1[j] * T[j];
                    s2 += w2[j] * T[j];
                    s3 += w3[j] * T[j];
                }
                norm += s0 * s0 + s1 * s1 + s2 * s2 + s3 * s3;
            }
            for (; i < d; ++i) {
                Lanes s = {};
                for (int64_t j = 0; j <= i; ++j) s += W[i * d + j] * T[j];
                norm += s * s;
            }
            for (int64_t r = 0; r < m; ++r) out[(a + r) * K + k] = c[k] - 0.5 * norm[r];
        }
    }
}

void scores(In2<double> X,               // in   (n, d)
            In2<double> means,           // in   (K, d)
            In2<double> triangles,       // in   (K d, d)  the K lower triangles A_k, one below the other
            In1<double> constants,       // in   (K,)      may be -inf
            InOut2<double> out) {        // out  (n, K)
    const auto n = X.shape(0), d = X.shape(1), K = constants.shape(0);
    require(means.shape(0) == K && means.shape(1) == d && triangles.shape(0) == K * d && triangles.shape(1) == d &&
                out.shape(0) == n && out.shape(1) == K,
            "scores: means and triangles must have a row for each class and a column for each of X");
    nb::gil_scoped_release unlocked;
    quadratic_rows(view(X), means.data(), triangles.data(), constants.data(), int64_t(K), out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "scores", &scores, "X", "means", "triangles", "constants", "out"); }
