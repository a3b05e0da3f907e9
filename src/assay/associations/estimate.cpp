// How many frequent sets there would be, by random walks down the tree of the search (Knuth 1975).
//
//     size(S) = m + sum over a of size(S + a)  is estimated by  m + size(S + a) / q_a,   a drawn with probability q_a
//
// where m items can be added to S. Items in all baskets of S (p of them) are not walked to: they multiply what the
// others give, 2^p (1 + size of the others) - 1. The estimate is unbiased for any q; it varies little if q_a is nearly
// proportional to the true sizes. These are guessed as if pairs were frequent at random, as often as a sample of them
// is:
//
//     g(x, r) = sum over k >= 1 of C(x, k) r^(k (k - 1) / 2)       sets among x items, pairs frequent with chance r
//
// Twin: tests/associations/test_estimate.py counts all sets.
#include <cmath>

#include "assay/branch.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int PAIRS = 32;          // sampled at each step
constexpr double PLAIN = 0.1;      // share of the probability that is the same for all items
constexpr double MOST = 1e250;

struct Dice {  // splitmix64
    uint64_t state;
    uint64_t next() {
        uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL, z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    double unit() { return double(next() >> 11) * 0x1p-53; }
    int64_t below(int64_t n) { return std::min(n - 1, int64_t(unit() * double(n))); }
};

double guess(double x, double r) {
    double sum = 0, term = 1, chance = 1;
    for (double k = 1; x - k + 1 > 0; ++k, chance *= r) {
        term *= (x - k + 1) / k * chance;
        sum += term;
        if (term < 1e-6 * sum || sum > MOST) break;
    }
    return std::min(sum, MOST);
}

class Walker {
    const Branch &branch_;
    const int64_t least_, max_size_;
    Dice &dice_;
    std::vector<uint64_t> t_, both_;
    std::vector<int32_t> alive_;
    std::vector<int64_t> held_;       // what the baskets of each weigh
    std::vector<double> chance_;
    const bool free_;                 // whether sets may have any size

    // Takes away the items that are in all baskets, and says how many they were.
    int64_t set_apart(int64_t support) {
        size_t kept = 0;
        for (size_t a = 0; a < alive_.size(); ++a)
            if (held_[a] < support) alive_[kept] = alive_[a], held_[kept++] = held_[a];
        const int64_t apart = int64_t(alive_.size() - kept);
        alive_.resize(kept), held_.resize(kept);
        return apart;
    }

    double pairs_frequent(bool top) {
        const int64_t m = int64_t(alive_.size());
        int frequent = 0;
        for (int s = 0; s < PAIRS; ++s) {
            const int64_t a = dice_.below(m), shift = 1 + dice_.below(m - 1), b = (a + shift) % m;
            const uint64_t *first = branch_.bits(alive_[size_t(a)]);
            if (!top) branch_.cut(t_.data(), alive_[size_t(a)], both_.data()), first = both_.data();
            frequent += branch_.shared(first, alive_[size_t(b)]) >= least_;
        }
        return (frequent + 0.5) / (PAIRS + 0.5);
    }

  public:
    Walker(const Branch &branch, int64_t least, int64_t max_size, Dice &dice)
        : branch_(branch), least_(least), max_size_(max_size), dice_(dice), t_(size_t(branch.words)),
          both_(size_t(branch.words)), free_(max_size > int64_t(branch.item.size())) {}

    double walk() {  // sets in the branch, its own item included
        alive_.resize(branch_.item.size());
        std::iota(alive_.begin(), alive_.end(), 0);
        held_ = branch_.held;
        int64_t support = branch_.support;
        double sets = 1, share = 1;  // share: how many sets this one stands for
        for (int64_t size = 1; !alive_.empty() && size < max_size_; ++size) {
            if (free_) {
                const double more = std::exp2(std::min(double(set_apart(support)), 800.0));
                sets += share * (more - 1), share *= more;
                if (alive_.empty()) break;
            }
            const int64_t m = int64_t(alive_.size());
            sets += share * double(m);
            if (m == 1 || size + 1 >= max_size_ || sets > MOST) break;
            const double r = pairs_frequent(size == 1);
            chance_.resize(size_t(m - 1));  // the last item has none after it
            double sum = 0;
            for (int64_t a = 0; a + 1 < m; ++a) sum += chance_[size_t(a)] = guess(r * double(m - 1 - a), r);
            for (double &q : chance_) q = (1 - PLAIN) * q / sum + PLAIN / double(m - 1);
            double u = dice_.unit();
            int64_t a = 0;
            while (a + 2 < m && (u -= chance_[size_t(a)]) >= 0) ++a;
            share /= chance_[size_t(a)];
            const int32_t place = alive_[size_t(a)];
            support = held_[size_t(a)];
            if (size == 1) std::copy_n(branch_.bits(place), branch_.words, t_.data());
            else branch_.cut(t_.data(), place, t_.data());
            size_t kept = 0;
            for (int64_t b = a + 1; b < m; ++b) {
                const int64_t c = branch_.shared(t_.data(), alive_[size_t(b)]);
                if (c >= least_) alive_[kept] = alive_[size_t(b)], held_[kept++] = c;
            }
            alive_.resize(kept), held_.resize(kept);
        }
        return sets;
    }
};

// sizes[b, p] = the p-th estimate of the number of sets of branch branches[b].
void probe(const RankedBaskets &baskets, In1<int64_t> branches, int64_t least, int64_t max_size, int64_t seed,
           InOut2<double> sizes) {
    const Market db = baskets.market();
    for (size_t b = 0; b < branches.shape(0); ++b)
        require(branches.data()[b] >= 0 && branches.data()[b] < db.m, "branches do not fit");
    require(sizes.shape(0) == branches.shape(0), "sizes do not fit");
    nb::gil_scoped_release unlocked;
    Branch branch(db.m);
    const int64_t probes = int64_t(sizes.shape(1));
    for (int64_t b = 0; b < int64_t(branches.shape(0)); ++b) {
        branch.open(db, branches.data()[b], least, false);
        Dice dice{uint64_t(seed) * 0xD1342543DE82EF95ULL + uint64_t(branches.data()[b])};
        Walker walker(branch, least, max_size, dice);
        for (int64_t p = 0; p < probes; ++p) sizes.data()[b * probes + p] = branch.item.empty() ? 1 : walker.walk();
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "probe", &probe, "baskets", "branches", "least", "max_size", "seed", "sizes"); }
