// Eclat: depth-first search for frequent sets, each item a row of bits over the baskets of its branch.
//
//     all     from {i} on, add later items j while |t(S) & t(j)| >= least
//     closed  each set is closed at once: items in all of t(S) join it; if one of them comes earlier in the order, the
//             set belongs to another branch and is left (prefix-preserving closure, so no set is found twice and none
//             must be remembered)
//     maximal those closed sets that no item can be added to
//
// A call does at most about `budget` words of work and then says where to go on. Twin in Python:
// tests/associations/test_eclat.py.
#include "assay/branch.hpp"
#include "assay/edge.hpp"
#include "assay/found_sets.hpp"

using namespace assay;

namespace {

constexpr int ALL = 0, CLOSED = 1, MAXIMAL = 2;

struct Level {                    // what is kept at one depth of the search
    std::vector<uint64_t> t;      // baskets of the set so far
    std::vector<int32_t> alive;   // places of items in the branch; barred ones first
    std::vector<int64_t> held;    // their counts with the set so far
    int64_t barred = 0;
};

class Search {
    Branch branch_;
    std::vector<Level> levels_;
    std::vector<int32_t> set_;
    const int32_t *code_;
    const int64_t least_, max_size_;
    const int kind_;
    bool progressed_ = false;

    Level &level(size_t depth) {
        while (levels_.size() <= depth) levels_.emplace_back();
        return levels_[depth];
    }
    void found(int64_t count) {
        sets.add(set_, count);
        --trail.room, trail.budget -= 4 + 2 * int64_t(set_.size()), progressed_ = true;
    }

    void grow_all(size_t depth) {
        const int64_t m = int64_t(level(depth).alive.size());
        trail.here.push_back(0);
        for (int32_t a = trail.first(depth); a < m; ++a) {
            trail.here.back() = a;
            const int32_t place = levels_[depth].alive[size_t(a)];
            const bool known = trail.behind(depth, a);
            if (!known && trail.full(progressed_)) break;
            set_.push_back(code_[branch_.item[size_t(place)]]);
            if (!known) found(levels_[depth].held[size_t(a)]);
            if (a + 1 < m && int64_t(set_.size()) < max_size_) {
                Level &next = level(depth + 1);  // may move the levels
                const Level &now = levels_[depth];
                next.t.resize(size_t(branch_.words));
                if (depth == 0) std::copy_n(branch_.bits(place), branch_.words, next.t.data());
                else branch_.cut(now.t.data(), place, next.t.data());
                next.alive.clear(), next.held.clear();
                for (int64_t b = a + 1; b < m; ++b) {
                    const int64_t c = branch_.shared(next.t.data(), now.alive[size_t(b)]);
                    if (c >= least_) next.alive.push_back(now.alive[size_t(b)]), next.held.push_back(c);
                }
                trail.budget -= (m - a) * (branch_.words + 4);
                if (!next.alive.empty()) grow_all(depth + 1);
            }
            set_.pop_back();
            if (trail.stopped) break;
        }
        trail.here.pop_back();
    }

    // Candidates are alive items from `barred` on; candidates already tried are barred for those after them.
    void grow_closed(size_t depth) {
        const int64_t m = int64_t(level(depth).alive.size());
        trail.here.push_back(0);
        const int64_t barred = levels_[depth].barred;
        for (int64_t a = std::max<int64_t>(barred, trail.first(depth)); a < m; ++a) {
            trail.here.back() = int32_t(a);
            const bool known = trail.behind(depth, int32_t(a));
            if (!known && trail.full(progressed_)) break;
            progressed_ = progressed_ || !known;
            Level &next = level(depth + 1);
            const Level &now = levels_[depth];
            const int32_t place = now.alive[size_t(a)];
            const int64_t support = now.held[size_t(a)];
            next.t.resize(size_t(branch_.words));
            if (depth == 0) std::copy_n(branch_.bits(place), branch_.words, next.t.data());
            else branch_.cut(now.t.data(), place, next.t.data());
            next.alive.clear(), next.held.clear();
            const size_t before = set_.size();
            bool ours = true;
            for (int64_t b = 0; b < m && ours; ++b) {
                if (b == a) {
                    next.barred = int64_t(next.alive.size());
                    set_.push_back(code_[branch_.item[size_t(place)]]);
                    continue;
                }
                const int64_t c = branch_.shared(next.t.data(), now.alive[size_t(b)]);
                if (c == support) {
                    if (b < a) ours = false;
                    else set_.push_back(code_[branch_.item[size_t(now.alive[size_t(b)])]]);
                } else if (c >= least_) {
                    next.alive.push_back(now.alive[size_t(b)]), next.held.push_back(c);
                }
            }
            trail.budget -= m * (branch_.words + 4);
            if (ours && int64_t(set_.size()) <= max_size_) {
                if (!known && (kind_ == CLOSED || next.alive.empty())) found(support);
                if (next.barred < int64_t(next.alive.size())) grow_closed(depth + 1);
            }
            set_.resize(before);
            if (trail.stopped) break;
        }
        trail.here.pop_back();
    }

  public:
    FoundSets sets;
    Trail trail;

    Search(int64_t m, const int32_t *code, int64_t least, int64_t max_size, int kind, Trail trail)
        : branch_(m), code_(code), least_(least), max_size_(max_size), kind_(kind), trail(std::move(trail)) {}

    // `universal`: how many items are in all baskets; they rank last, and closed sets hold them all.
    void mine(const Market &db, int64_t i, int64_t universal) {
        const bool both = kind_ != ALL;
        const bool known = trail.resuming;
        trail.budget -= branch_.open(db, i, least_, both);
        set_.assign(1, code_[i]);
        if (both) {
            if (!branch_.always.empty() && branch_.always.front() < i) return;  // another branch's set
            if (i >= db.m - universal) return;  // the closure of nothing: the caller's
            for (const int32_t j : branch_.always) set_.push_back(code_[j]);
            if (int64_t(set_.size()) > max_size_) return;
        }
        if (!known && (kind_ != MAXIMAL || branch_.item.empty())) found(branch_.support);
        progressed_ = progressed_ || !known;
        Level &top = level(0);
        top.alive.resize(branch_.item.size());
        std::iota(top.alive.begin(), top.alive.end(), 0);
        top.held = branch_.held, top.barred = branch_.barred;
        if (int64_t(set_.size()) >= max_size_) return;
        if (both) grow_closed(0);
        else grow_all(0);
    }
};

// Sets of the branches first .. last - 1. Returns (branch to go on with, steps, items, sizes, counts).
nb::tuple mine(const RankedBaskets &baskets, In1<int32_t> code, int64_t first, int64_t last, In1<int32_t> steps,
               int64_t least, int64_t max_size, int kind, int64_t universal, int64_t budget, int64_t room) {
    const Market db = baskets.market();
    require(0 <= first && last <= db.m && int64_t(code.shape(0)) == db.m, "branches do not fit");
    require(within(steps, 0, INT32_MAX), "steps do not fit");
    Search search(db.m, code.data(), least, max_size, kind, Trail(steps.data(), int64_t(steps.shape(0)), budget, room));
    {
        nb::gil_scoped_release unlocked;
        for (; first < last; ++first) {
            search.mine(db, first, universal);
            if (search.trail.stopped) break;
            search.trail.resuming = false;
            if (first + 1 < last && (search.trail.budget <= 0 || search.trail.room <= 0)) {
                ++first;
                break;
            }
        }
        if (!search.trail.stopped) search.trail.steps.clear();
    }
    return nb::make_tuple(first, give(std::move(search.trail.steps)), give(std::move(search.sets.items)),
                          give(std::move(search.sets.sizes)), give(std::move(search.sets.counts)));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "mine", &mine, "baskets", "code", "first", "last", "steps", "least", "max_size", "kind", "universal",
           "budget", "room");
}
