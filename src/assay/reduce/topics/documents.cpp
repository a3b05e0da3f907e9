// Variational Bayes of one document after another, given what the topics are.
//
//     e_k     = exp(psi(gamma_k) - psi(sum gamma))
//     r_w     = n_w / (sum_k e_k B_wk + eps)
//     gamma_k = alpha_k + e_k sum_w r_w B_wk                         until gamma moves by less than tol on average
//
// with B_wk = exp E[log W_kw] in rows of words, so that a word's topics are neighbours; rows are padded with zeros to a
// multiple of eight. Empty documents keep their prior.
//
// Topics that a document is not about soon have gamma_k = alpha_k to the last digit and e_k about exp(-1 / alpha_k),
// 1e-22 for an alpha of 1/50. While all of these together are below 1e-17 of each word's mixture, they stay as they
// are, and the columns of the others are gathered in rows of their own.
//
// Twin in NumPy: tests/reduce/topics/test_documents.py.
#include <algorithm>
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
constexpr double NEGLIGIBLE = 1e-17;  // share of a mixture, of topics that are left out
constexpr double FEW = 1e-2;  // of that share, which they have at most when they are left out
constexpr double AS_BEFORE = 1e-15;  // share of alpha by which gamma may be above it then

typedef double Doubles __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

INLINE Doubles load(const double *a) { return *reinterpret_cast<const Doubles *>(a); }

INLINE double total(Doubles v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }

INLINE double dot(const double *a, const double *b,
                  int64_t m) {  // m a multiple of LANES
    Doubles sum = {};
    for (int64_t j = 0; j < m; j += LANES) sum += load(a + j) * load(b + j);
    return total(sum);
}

// sum_k += sum_w r_w B_wk over the words of a document, r_w = n_w / (e . B_w + eps); four words at a time, so that e
// and the sums are read a quarter as often. The rows of B are those of the words, or lie one after another. Returns the
// least e . B_w.
template <bool OF_WORDS>
INLINE double add_words(const int32_t *word, const double *value, int64_t words, const double *B, int64_t padded,
                        const double *e, double *sum) {
    int64_t p = 0;
    double least = std::numeric_limits<double>::infinity();
    auto row = [&](int64_t q) __attribute__((always_inline)) { return B + (OF_WORDS ? word[q] : q) * padded; };
    for (; p + 4 <= words; p += 4) {
        const double *b0 = row(p), *b1 = row(p + 1), *b2 = row(p + 2), *b3 = row(p + 3);
        Doubles s0 = {}, s1 = {}, s2 = {}, s3 = {};
        for (int64_t j = 0; j < padded; j += LANES) {
            const Doubles x = load(e + j);
            s0 += x * load(b0 + j), s1 += x * load(b1 + j), s2 += x * load(b2 + j), s3 += x * load(b3 + j);
        }
        const double m0 = total(s0), m1 = total(s1), m2 = total(s2), m3 = total(s3);
        const double low = m0 < m1 ? m0 : m1, other = m2 < m3 ? m2 : m3, lower = low < other ? low : other;
        least = lower < least ? lower : least;
        const double r0 = value[p] / (m0 + EPS), r1 = value[p + 1] / (m1 + EPS), r2 = value[p + 2] / (m2 + EPS),
                     r3 = value[p + 3] / (m3 + EPS);
        for (int64_t j = 0; j < padded; j += LANES)
            *reinterpret_cast<Doubles *>(sum + j) +=
                (r0 * load(b0 + j) + r1 * load(b1 + j)) + (r2 * load(b2 + j) + r3 * load(b3 + j));
    }
    for (; p < words; ++p) {
        const double *b = row(p);
        const double mixture = dot(e, b, padded), r = value[p] / (mixture + EPS);
        least = mixture < least ? mixture : least;
        for (int64_t j = 0; j < padded; j += LANES) *reinterpret_cast<Doubles *>(sum + j) += r * load(b + j);
    }
    return least;
}

// e = exp(psi(g) - psi(others + sum g)); entries from m on are 0.
INLINE void expectations(const double *g, int64_t m, int64_t padded, double others, double *e) {
    double sum = others;
    for (int64_t k = 0; k < m; ++k) sum += g[k];
    const double scale = 1.0 / exp_digamma(sum);
    for (int64_t k = 0; k < padded; ++k) e[k] = exp_digamma(g[k] > 1e-300 ? g[k] : 1e-300) * scale;
    for (int64_t k = m; k < padded; ++k) e[k] = 0;
}

// The topics of one document that are followed, and what became of the others.
struct Followed {
    int64_t m, width;  // how many, and that as a multiple of LANES
    bool gathered = false;  // whether some are left out, and the columns of these lie in rows of their own
    double left_e = 0, left_g = 0;  // what e and g of the others add up to
    std::vector<double> e, g, sum, all_e, all_g;  // (padded,) of those that are followed, of all
    std::vector<int64_t> topic;  // (padded,) which they are
    std::vector<double> rows;  // (words, padded / 2)

    Followed(int64_t padded, int64_t most_words)
        : m(0), width(padded), e(padded), g(padded), sum(padded), all_e(padded), all_g(padded), topic(padded),
          rows(padded > LANES ? most_words * (padded / 2) : 0) {
        picked.reserve(padded);
    }

    void all(const double *gamma, int64_t K, int64_t padded) {
        m = K, width = padded, gathered = false, left_e = left_g = 0;
        for (int64_t k = 0; k < padded; ++k) g[k] = k < K ? gamma[k] : 0.0, topic[k] = k;
    }

    void put_back() {
        for (int64_t j = 0; j < m; ++j) all_g[topic[j]] = g[j], all_e[topic[j]] = e[j];
    }

    // Leave out topics whose e is at most so large and whose g is alpha, if that halves the work.
    void leave_out(double largest_e, const double *alpha, const int32_t *word, int64_t words, const double *B,
                   int64_t padded) {
        int64_t kept = 0;
        auto counts = [&](int64_t j) {
            return e[j] > largest_e || !(g[j] - alpha[topic[j]] <= AS_BEFORE * alpha[topic[j]]);
        };
        for (int64_t j = 0; j < m; ++j) kept += counts(j);
        const int64_t narrow = (kept + LANES - 1) / LANES * LANES;
        if (kept == 0 || 2 * narrow > width) return;
        put_back();
        std::vector<int64_t> &from = picked;
        from.clear();
        for (int64_t j = 0; j < m; ++j)
            if (counts(j)) from.push_back(j);
            else left_e += e[j], left_g += g[j];
        for (int64_t p = 0; p < words; ++p) {  // in place: what is written was read
            const double *b = gathered ? rows.data() + p * width : B + word[p] * padded;
            double *to = rows.data() + p * narrow;
            for (int64_t q = 0; q < kept; ++q) to[q] = b[from[q]];
            for (int64_t q = kept; q < narrow; ++q) to[q] = 0;
        }
        for (int64_t q = 0; q < kept; ++q) g[q] = g[from[q]], e[q] = e[from[q]], topic[q] = topic[from[q]];
        for (int64_t q = kept; q < narrow; ++q) g[q] = e[q] = 0;
        m = kept, width = narrow, gathered = true;
    }

  private:
    std::vector<int64_t> picked;
};

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
                  double largest, const double *alpha, int64_t K, int64_t first, int64_t last, int64_t max_iter,
                  double tol, double *gamma, double *expected, double *ratio, Followed &followed) {
    double *e = followed.e.data(), *g = followed.g.data(), *sum = followed.sum.data();
    int64_t rounds = 0;
    for (int64_t d = first; d < last; ++d) {
        const int64_t words = start[d + 1] - start[d];
        const int32_t *which = word + start[d];
        const double *count = value + start[d];
        bool may_leave_out = padded > LANES;
        followed.all(gamma + d * K, K, padded);
        expectations(g, K, padded, 0, e);
        for (int64_t iteration = 0; iteration < max_iter; ++iteration, ++rounds) {
            const int64_t width = followed.width;
            for (int64_t k = 0; k < width; ++k) sum[k] = 0;
            const double least = followed.gathered
                                     ? add_words<false>(which, count, words, followed.rows.data(), width, e, sum)
                                     : add_words<true>(which, count, words, B, width, e, sum);
            if (followed.gathered && !(followed.left_e * largest <= NEGLIGIBLE * (least + EPS))) {
                followed.put_back();  // they count after all: the same step with all topics
                std::copy(followed.all_g.begin(), followed.all_g.begin() + K, gamma + d * K);
                followed.all(gamma + d * K, K, padded);
                expectations(g, K, padded, 0, e);
                may_leave_out = false;
                --iteration, --rounds;
                continue;
            }
            double change = 0;
            for (int64_t j = 0; j < followed.m; ++j) {
                const double fresh = alpha[followed.topic[j]] + e[j] * sum[j];
                change += std::fabs(fresh - g[j]);
                g[j] = fresh;
            }
            expectations(g, followed.m, width, followed.left_g, e);
            if (change < tol * double(K)) {
                ++rounds;
                break;
            }
            if (may_leave_out)
                followed.leave_out(FEW * NEGLIGIBLE * (least + EPS) / (largest * double(K)), alpha, which, words, B,
                                   padded);
        }
        followed.put_back();
        double *all_e = followed.all_e.data();
        if (followed.gathered) expectations(followed.all_g.data(), K, padded, 0, all_e);
        for (int64_t k = 0; k < K; ++k) gamma[d * K + k] = followed.all_g[k], expected[d * K + k] = all_e[k];
        if (ratio)
            for (int64_t p = start[d]; p < start[d + 1]; ++p)
                ratio[p] = value[p] / (dot(all_e, B + word[p] * padded, padded) + EPS);
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
    const int64_t *start = counts.start.data();
    int64_t most_words = 0;
    for (int64_t d = first; d < last; ++d) most_words = std::max(most_words, start[d + 1] - start[d]);
    Followed followed(padded, most_words);
    nb::gil_scoped_release unlocked;
    const double *B = topics.data();
    const double largest = counts.words ? *std::max_element(B, B + counts.words * padded) : 0;
    return infer(start, counts.word.data(), counts.value.data(), B, padded, largest, alpha.data(), K, first, last,
                 max_iter, tol, gamma.data(), expected.data(), data_or_null(ratio), followed);
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
