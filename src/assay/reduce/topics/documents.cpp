// Variational Bayes of one document after another, given what the topics are.
//
//     e_k     = exp(psi(gamma_k) - psi(sum gamma))
//     r_w     = n_w / (sum_k e_k B_wk + eps)
//     gamma_k = alpha_k + e_k sum_w r_w B_wk                         until gamma moves by less than tol on average
//
// with B_wk = exp E[log W_kw] in rows of words, so that a word's topics are neighbours; rows are padded with zeros to a
// multiple of eight. Empty documents keep their prior.
//
// Twin in NumPy: tests/reduce/topics/test_documents.py.
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/digamma.hpp"
#include "assay/edge.hpp"

using namespace assay;

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are passed between functions that are always inlined

namespace {

constexpr int64_t LANES = 8;
constexpr double EPS = std::numeric_limits<double>::epsilon();

typedef double Doubles __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

__attribute__((always_inline)) inline Doubles load(const double *a) { return *reinterpret_cast<const Doubles *>(a); }

__attribute__((always_inline)) inline double total(Doubles v) {
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

__attribute__((always_inline)) inline double dot(const double *a, const double *b,
                                                 int64_t m) {  // m a multiple of LANES
    Doubles sum = {};
    for (int64_t j = 0; j < m; j += LANES) sum += load(a + j) * load(b + j);
    return total(sum);
}

// sum_k += sum_w r_w B_wk over the words of a document, r_w = n_w / (e . B_w + eps); four words at a time, so that e
// and the sums are read a quarter as often.
__attribute__((always_inline)) inline void add_words(const int32_t *word, const double *value, int64_t words,
                                                     const double *B, int64_t padded, const double *e, double *sum) {
    int64_t p = 0;
    for (; p + 4 <= words; p += 4) {
        const double *b0 = B + word[p] * padded, *b1 = B + word[p + 1] * padded, *b2 = B + word[p + 2] * padded,
                     *b3 = B + word[p + 3] * padded;
        Doubles s0 = {}, s1 = {}, s2 = {}, s3 = {};
        for (int64_t j = 0; j < padded; j += LANES) {
            const Doubles x = load(e + j);
            s0 += x * load(b0 + j), s1 += x * load(b1 + j), s2 += x * load(b2 + j), s3 += x * load(b3 + j);
        }
        const double r0 = value[p] / (total(s0) + EPS), r1 = value[p + 1] / (total(s1) + EPS),
                     r2 = value[p + 2] / (total(s2) + EPS), r3 = value[p + 3] / (total(s3) + EPS);
        for (int64_t j = 0; j < padded; j += LANES)
            *reinterpret_cast<Doubles *>(sum + j) +=
                (r0 * load(b0 + j) + r1 * load(b1 + j)) + (r2 * load(b2 + j) + r3 * load(b3 + j));
    }
    for (; p < words; ++p) {
        const double *b = B + word[p] * padded;
        const double r = value[p] / (dot(e, b, padded) + EPS);
        for (int64_t j = 0; j < padded; j += LANES) *reinterpret_cast<Doubles *>(sum + j) += r * load(b + j);
    }
}

// e = exp(psi(g) - psi(sum g)); entries from K on are 0.
__attribute__((always_inline)) inline void expectations(const double *g, int64_t K, int64_t padded, double *e) {
    double sum = 0;
    for (int64_t k = 0; k < K; ++k) sum += g[k];
    const double scale = 1.0 / exp_digamma(sum);
    for (int64_t k = 0; k < padded; ++k) e[k] = exp_digamma(g[k] > 1e-300 ? g[k] : 1e-300) * scale;
    for (int64_t k = K; k < padded; ++k) e[k] = 0;
}

struct Counts {
    In1<int64_t> start;  // (n + 1,)
    In1<int32_t> word;  // (nnz,)
    In1<double> value;  // (nnz,)
    int64_t words;  // M

    int64_t documents() const { return length(start) - 1; }
    void check() const {
        require(length(start) >= 1 && are_rows(value, word, start, documents(), words), "Counts: rows of the table");
    }
};

HOT int64_t infer(const int64_t *start, const int32_t *word, const double *value, const double *B, int64_t padded,
                  const double *alpha, int64_t K, int64_t first, int64_t last, int64_t max_iter, double tol,
                  double *gamma, double *expected, double *ratio, double *scratch) {
    double *e = scratch, *g = scratch + padded, *sum = scratch + 2 * padded;
    int64_t rounds = 0;
    for (int64_t d = first; d < last; ++d) {
        for (int64_t k = 0; k < padded; ++k) g[k] = k < K ? gamma[d * K + k] : 0.0;
        expectations(g, K, padded, e);
        for (int64_t iteration = 0; iteration < max_iter; ++iteration, ++rounds) {
            for (int64_t k = 0; k < padded; ++k) sum[k] = 0;
            add_words(word + start[d], value + start[d], start[d + 1] - start[d], B, padded, e, sum);
            double change = 0;
            for (int64_t k = 0; k < K; ++k) {
                const double fresh = alpha[k] + e[k] * sum[k];
                change += std::fabs(fresh - g[k]);
                g[k] = fresh;
            }
            expectations(g, K, padded, e);
            if (change < tol * double(K)) {
                ++rounds;
                break;
            }
        }
        for (int64_t k = 0; k < K; ++k) gamma[d * K + k] = g[k], expected[d * K + k] = e[k];
        if (ratio)
            for (int64_t p = start[d]; p < start[d + 1]; ++p)
                ratio[p] = value[p] / (dot(e, B + word[p] * padded, padded) + EPS);
    }
    return rounds;
}

HOT void products(const int64_t *start, const int32_t *word, const double *B, int64_t padded, const double *E,
                  int64_t K, int64_t first, int64_t last, double *e, double *out) {
    for (int64_t d = first; d < last; ++d) {
        for (int64_t k = 0; k < padded; ++k) e[k] = k < K ? E[d * K + k] : 0.0;
        for (int64_t p = start[d]; p < start[d + 1]; ++p) out[p] = dot(e, B + word[p] * padded, padded);
    }
}

HOT void tails(const double *x, int64_t n, double *out) {
    for (int64_t i = 0; i < n; ++i) out[i] = digamma_tail(x[i] > 1e-300 ? x[i] : 1e-300);
}

void check_topics(const Counts &counts, const In2<double> &topics, int64_t K, int64_t first, int64_t last) {
    const int64_t padded = int64_t(topics.shape(1));
    require(length(topics) == counts.words && padded % LANES == 0 && K >= 1 && K <= padded,
            "topics: a row for each word, of a multiple of eight");
    require(first >= 0 && first <= last && last <= counts.documents(), "documents that there are");
}

int64_t documents(const Counts &counts,
                  In2<double> topics,  // in      (M, padded)
                  In1<double> alpha,  // in      (K,)
                  InOut2<double> gamma,  // in/out  (n, K)   start and result
                  InOut2<double> expected,  // out     (n, K)   exp E[log theta]
                  InOut1<double> ratio,  // out     (nnz,) or (0,)
                  int64_t max_iter, double tol, int64_t first, int64_t last) {
    const int64_t n = counts.documents(), K = length(alpha), padded = int64_t(topics.shape(1));
    check_topics(counts, topics, K, first, last);
    require(length(gamma) == n && int64_t(gamma.shape(1)) == K && length(expected) == n &&
                int64_t(expected.shape(1)) == K && (ratio.size() == 0 || length(ratio) == length(counts.value)),
            "documents: a place for each result");
    require(max_iter >= 0, "documents: a number of iterations");
    std::vector<double> scratch(size_t(3 * padded));
    nb::gil_scoped_release unlocked;
    return infer(counts.start.data(), counts.word.data(), counts.value.data(), topics.data(), padded, alpha.data(), K,
                 first, last, max_iter, tol, gamma.data(), expected.data(), data_or_null(ratio), scratch.data());
}

// out_p = sum_k E_dk B_wk for each entry p of the table.
void mixtures(const Counts &counts, In2<double> topics, In2<double> expected, InOut1<double> out) {
    const int64_t n = counts.documents(), K = int64_t(expected.shape(1)), padded = int64_t(topics.shape(1));
    check_topics(counts, topics, K, 0, n);
    require(length(expected) == n && length(out) == length(counts.value), "mixtures: a place for each entry");
    std::vector<double> scratch(size_t(padded), 0.0);
    nb::gil_scoped_release unlocked;
    products(counts.start.data(), counts.word.data(), topics.data(), padded, expected.data(), K, 0, n, scratch.data(),
             out.data());
}

// s(x) = ln(x + 8) - psi(x).
void digamma_tails(In1<double> x, InOut1<double> out) {
    require(length(x) == length(out), "digamma_tails: a place for each number");
    nb::gil_scoped_release unlocked;
    tails(x.data(), length(x), out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Counts>(m, "Counts", field("start", &Counts::start), field("word", &Counts::word),
                   field("value", &Counts::value), field("words", &Counts::words));
    define(m, "documents", &documents, "counts", "topics", "alpha", "gamma", "expected", "ratio", "max_iter", "tol",
           "first", "last");
    define(m, "mixtures", &mixtures, "counts", "topics", "expected", "out");
    define(m, "digamma_tails", &digamma_tails, "x", "out");
}
