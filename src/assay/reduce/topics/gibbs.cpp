// Collapsed Gibbs sampling of topics: each token's topic is drawn given those of all others.
//
//     P(z_t = k | others)  ~  (n_dk + alpha_k) (n_kw + beta_v) / (n_kv + M_v beta_v)
//
// with n_dk tokens of the document in topic k, n_kw of the word, n_kv of the word's vocabulary v; token t itself is not
// counted. All K weights are computed at once, in sixteen lanes; the token's present topic has weight 0 there and is
// weighed on its own, so that a token that stays where it is, as most do, writes nothing at all. Sums run down the
// lanes: the lane is found first, then the place in it.
//
// With a concentration gamma > 0 the number of topics grows (hierarchical Dirichlet process, direct assignment): slot K
// is empty, alpha_K is the weight of all topics to come, and (0 + beta) / (0 + M beta) = 1 / M is what a new topic
// makes of a word. When it is chosen, the stick is broken, b ~ beta(1, gamma): alpha_K+1 = (1 - b) alpha_K, alpha_K = b
// alpha_K.
//
// Twin in NumPy: tests/reduce/topics/test_gibbs.py.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/random.hpp"

using namespace assay;

namespace {

constexpr int64_t LANES = 16;
typedef float Floats __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t Ints __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
constexpr Ints NUMBERS = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr int64_t AHEAD = 6;  // tokens whose rows of counts are asked for early

int64_t padded(int64_t K) { return (K + LANES - 1) / LANES * LANES; }

struct Corpus {
    In1<int32_t> word;  // (T,)     the word of each token, those of a document together
    In1<int64_t> start;  // (n + 1,) where each document begins
    In1<int32_t> view;  // (M,)     the vocabulary of each word
    In1<int64_t> size;  // (V,)     words of each vocabulary

    int64_t tokens() const { return length(word); }
    int64_t documents() const { return length(start) - 1; }
    void check() const {
        require(length(start) >= 1 && shares_out(start, documents(), tokens(), true),
                "Corpus: documents of the tokens");
        require(within(word, 0, length(view)), "Corpus: a word that no vocabulary has");
        require(within(view, 0, length(size)), "Corpus: a vocabulary that is not there");
        require(length(word) < (int64_t(1) << 31), "Corpus: at most 2^31 tokens");
        for (int64_t v = 0; v < length(size); ++v) require(size.data()[v] > 0, "Corpus: a vocabulary without words");
    }
};

// One more or less; counts that nobody counted may wrap around, but nothing else happens.
INLINE void more(int32_t &n) { n = int32_t(uint32_t(n) + 1u); }
INLINE void less(int32_t &n) { n = int32_t(uint32_t(n) - 1u); }

// The first place in a lane where the running sum exceeds v; rounding may leave none, then the last that adds
// something.
INLINE int64_t in_lane(const float *sums, int64_t lane, int64_t blocks, float v) {
    int64_t place = 0;
    for (int64_t b = 0; b < blocks; ++b) place += sums[b * LANES + lane] <= v;
    if (place < blocks) return place;
    for (place = blocks - 1; place > 0; --place)
        if (sums[place * LANES + lane] > sums[(place - 1) * LANES + lane]) break;
    return place;
}

struct Model {
    int32_t *word_topic, *topic;  // (M, stride), (V, stride)
    double *alpha;  // (stride,)
    const double *beta;  // (V,)
    int64_t stride;
};

// Draws the topics of tokens from `first` on; stops before `last` when the last slot is taken. Gives the next token.
HOT int64_t draw_topics(const int32_t *word, const int64_t *start, int64_t n, const int32_t *view, const int64_t *size,
                        int64_t V, Model model, int32_t *z, int64_t &K, Random &random, double gamma, int64_t first,
                        int64_t last, float *scratch, int32_t *counts) {
    const int64_t stride = model.stride;
    float *sums = scratch, *alpha = scratch + stride, *inverse = scratch + 2 * stride;  // inverse: (V, stride)
    for (int64_t k = 0; k < stride; ++k) alpha[k] = k < K + (gamma > 0) ? float(model.alpha[k]) : 0.0f;
    for (int64_t v = 0; v < V; ++v)
        for (int64_t k = 0; k < stride; ++k)
            inverse[v * stride + k] = float(1.0 / (model.topic[v * stride + k] + double(size[v]) * model.beta[v]));

    int64_t d = std::upper_bound(start, start + n + 1, first) - start - 1;
    for (int64_t t = first; t < last; ++d) {
        std::fill(counts, counts + stride, 0);
        for (int64_t s = start[d]; s < start[d + 1]; ++s)
            if (z[s] >= 0) ++counts[z[s]];
        const int64_t stop = std::min(start[d + 1], last);
        for (; t < stop; ++t) {
            if (t + AHEAD < last) {
                const char *row = reinterpret_cast<const char *>(model.word_topic + word[t + AHEAD] * stride);
                __builtin_prefetch(row), __builtin_prefetch(row + 64);
            }
            const int64_t w = word[t], v = view[w], blocks = padded(K + (gamma > 0)) / LANES;
            const int32_t old = z[t];
            int32_t *row = model.word_topic + w * stride, *topic = model.topic + v * stride;
            float *inv = inverse + v * stride;
            const float beta = float(model.beta[v]);
            const double mass = double(size[v]) * model.beta[v];
            Floats lane = {};
            Ints place = NUMBERS;
            for (int64_t k = 0; k < blocks * LANES; k += LANES, place += int32_t(LANES)) {
                const Ints *here = reinterpret_cast<const Ints *>(counts + k),
                           *words = reinterpret_cast<const Ints *>(row + k);
                const Floats p =
                    (__builtin_convertvector(*here, Floats) + *reinterpret_cast<const Floats *>(alpha + k)) *
                    (__builtin_convertvector(*words, Floats) + beta) * *reinterpret_cast<const Floats *>(inv + k);
                lane += reinterpret_cast<Floats>((place != old) & reinterpret_cast<Ints>(p));
                *reinterpret_cast<Floats *>(sums + k) = lane;
            }
            float before[LANES];  // sums of the lanes before each
            float total = 0;
            for (int64_t l = 0; l < LANES; ++l) before[l] = total, total += lane[l];
            float stay = 0;
            if (old >= 0)
                stay = (float(counts[old] - 1) + alpha[old]) * (float(row[old]) - 1.0f + beta) *
                       float(1.0 / (double(topic[old]) - 1.0 + mass));
            float u = random.single() * (total + stay);
            if (u < stay || !(total > 0)) {
                if (old >= 0) continue;
                u = 0;
            }
            u -= stay;
            int64_t l = 0;
            for (int64_t i = 1; i < LANES; ++i) l += before[i] <= u;
            while (l > 0 && !(lane[l] > 0)) --l;
            const int32_t fresh =
                int32_t(std::min(in_lane(sums, l, blocks, u - before[l]) * LANES + l, K - (gamma <= 0)));
            if (old >= 0) {
                less(counts[old]), less(row[old]), less(topic[old]);
                inv[old] = float(1.0 / (topic[old] + mass));
            }
            more(counts[fresh]), more(row[fresh]), more(topic[fresh]);
            inv[fresh] = float(1.0 / (topic[fresh] + mass));
            z[t] = fresh;
            if (fresh == K) {  // a new topic
                const double b = 1.0 - std::pow(random.positive(), 1.0 / gamma), ahead = model.alpha[K];
                model.alpha[K] = b * ahead, alpha[K] = float(b * ahead);
                ++K;  // at most stride - 1
                model.alpha[K] = (1 - b) * ahead, alpha[K] = float((1 - b) * ahead);
                if (K + 1 >= stride) return t + 1;
            }
        }
    }
    return last;
}

void check_state(const Corpus &corpus, const InOut1<int32_t> &z, int64_t K) {
    require(length(z) == corpus.tokens() && within(z, -1, K), "topics: one of K, or -1, for each token");
}

// Sweeps over the tokens first ... last - 1; gives the next token and the number of topics.
std::tuple<int64_t, int64_t> sweep(const Corpus &corpus,
                                   InOut1<int32_t> z,  // in/out  (T,)  -1 where a token has no topic yet
                                   InOut2<int32_t> word_topic,  // in/out  (M, stride)
                                   InOut2<int32_t> topic,  // in/out  (V, stride)
                                   InOut1<double> alpha,  // in/out  (stride,)
                                   In1<double> beta,  // in      (V,)
                                   int64_t K, double gamma,  // gamma 0: K stays
                                   InOut1<uint64_t> random,  // in/out  (4,)
                                   int64_t first, int64_t last, int64_t sweeps) {
    const int64_t stride = int64_t(word_topic.shape(1)), V = length(beta);
    require(stride % LANES == 0 && stride < (int64_t(1) << 24), "sweep: slots of topics, a multiple of sixteen");
    require(K >= 0 && K <= stride && (gamma > 0 ? K + 1 < stride : K >= 1), "sweep: no slot for another topic");
    require(length(word_topic) == length(corpus.view) && length(topic) == V && int64_t(topic.shape(1)) == stride,
            "sweep: counts of each word and vocabulary");
    require(length(corpus.size) == V && length(alpha) == stride && length(random) == 4, "sweep: sizes of the priors");
    require(first >= 0 && first <= last && last <= corpus.tokens(), "sweep: tokens that there are");
    require(sweeps >= 0 && (sweeps == 1 || !(gamma > 0)), "sweep: one at a time while topics grow");
    check_state(corpus, z, K);
    std::vector<float> scratch(size_t(sized(V + 2, stride, "sweep: too many topics")));
    std::vector<int32_t> counts{};
    counts.resize(size_t(stride));
    nb::gil_scoped_release unlocked;
    Random draws(random.data());
    const Model model{word_topic.data(), topic.data(), alpha.data(), beta.data(), stride};
    int64_t next = last;
    for (int64_t s = 0; s < sweeps; ++s)
        next = draw_topics(corpus.word.data(), corpus.start.data(), corpus.documents(), corpus.view.data(),
                           corpus.size.data(), V, model, z.data(), K, draws, gamma, first, last, scratch.data(),
                           counts.data());
    draws.keep(random.data());
    return {next, K};
}

// Counts of tokens by word, vocabulary and topic.
void count(const Corpus &corpus, InOut1<int32_t> z, InOut2<int32_t> word_topic, InOut2<int32_t> topic) {
    const int64_t stride = int64_t(word_topic.shape(1));
    require(length(word_topic) == length(corpus.view) && length(topic) == length(corpus.size) &&
                int64_t(topic.shape(1)) == stride,
            "count: counts of each word and vocabulary");
    check_state(corpus, z, stride);
    nb::gil_scoped_release unlocked;
    for (int64_t t = 0; t < corpus.tokens(); ++t) {
        const int64_t w = corpus.word.data()[t], k = z.data()[t];
        if (k < 0) continue;
        more(word_topic.data()[w * stride + k]);
        more(topic.data()[corpus.view.data()[w] * stride + k]);
    }
}

// Tables of the Chinese restaurant franchise: of n tokens that a document has in topic k, token j opens a table with
// probability alpha_k / (alpha_k + j).
void tables(const Corpus &corpus, InOut1<int32_t> z, In1<double> alpha, InOut1<uint64_t> random,
            InOut1<int64_t> opened) {  // in/out  (K,)
    const int64_t K = length(alpha);
    require(length(opened) == K && length(random) == 4, "tables: a number for each topic");
    check_state(corpus, z, K);
    nb::gil_scoped_release unlocked;
    Random draws(random.data());
    std::vector<int64_t> counts(size_t(K), 0);
    for (int64_t d = 0; d < corpus.documents(); ++d) {
        for (int64_t t = corpus.start.data()[d]; t < corpus.start.data()[d + 1]; ++t) {
            const int32_t k = z.data()[t];
            if (k < 0) continue;
            const double a = alpha.data()[k], j = double(counts[size_t(k)]++);
            const bool opens = j == 0 || draws.uniform() * (a + j) < a;
            opened.data()[k] = int64_t(uint64_t(opened.data()[k]) + opens);
        }
        for (int64_t t = corpus.start.data()[d]; t < corpus.start.data()[d + 1]; ++t)
            if (z.data()[t] >= 0) counts[size_t(z.data()[t])] = 0;
    }
    draws.keep(random.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Corpus>(m, "Corpus", field("word", &Corpus::word), field("start", &Corpus::start),
                   field("view", &Corpus::view), field("size", &Corpus::size));
    define(m, "sweep", &sweep, "corpus", "z", "word_topic", "topic", "alpha", "beta", "K", "gamma", "random", "first",
           "last", "sweeps");
    define(m, "count", &count, "corpus", "z", "word_topic", "topic");
    define(m, "tables", &tables, "corpus", "z", "alpha", "random", "opened");
}
