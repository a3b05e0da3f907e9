// Learning by experience in a decision process of tables: one step after the other along the learner's own choices.
//
//     delta = r + gamma target(s') - Q(s, a),     Q += rate delta e
//
//     rule 0, Q-learning        target = max_a' Q(s', a')
//     rule 1, Sarsa             target = Q(s', a'), a' the action that is taken next
//     rule 2, expected Sarsa    target = sum_a' P(a'|s') Q(s', a'), by the exploration
//     rule 3, double Q          target = Q2(s', argmax Q1), the two tables in turns at random
//     rule 4, values            V(s) along a policy that is given; the table has one column
//
// e is 1 for the pair visited now alone, or a trace that fades by gamma lambda (replacing: set to 1, accumulating: 1
// added; Watkins: all traces end with an action that is not greedy). Nothing follows a terminal state; an episode that
// is cut off still counts on what would have followed. With a lookahead of n > 1 (rules 1, 2 and 4) a pair learns n
// steps later, from the rewards in between: delta = r_1 + gamma r_2 + ... + gamma^n target - Q. Twin in Python:
// TabularAgent.observe.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/random.hpp"

using namespace assay;

namespace {

constexpr double FADED = 1e-12;  // a trace below it is none
constexpr double COLDEST = 1e-300;  // a temperature, so that a division is possible

struct World {
    In1<int64_t> begin, next;  // outcomes of pair s A + a, as in sweeps.cpp
    In1<double> cumulated, earned;  // chance of this outcome or one before it of the same pair; its reward
    In1<double> start;  // (S,) cumulated
    int64_t actions;
    double discount;
    int64_t states() const { return length(start); }
    void check() const {
        const int64_t m = length(next);
        require(actions > 0 && states() > 0, "World: there must be a state and an action");
        require(length(cumulated) == m && length(earned) == m, "World: a chance and a reward for each outcome");
        require(shares_out(begin, sized(states(), actions, "World: too many actions"), m, true),
                "World: begin must share out the outcomes");
        require(within(next, 0, states()), "World: next states must be states");
    }
};

struct Schedule {
    double kind, by, a, b, c;  // constant, power, exponential, linear; by visits, steps, episodes
    explicit Schedule(In1<double> from)
        : kind(from.data()[0]), by(from.data()[1]), a(from.data()[2]), b(from.data()[3]), c(from.data()[4]) {}
    double at(int64_t visits, int64_t steps, int64_t episodes) const {
        const double n = double(by == 0 ? visits : by == 1 ? steps : episodes);
        if (kind == 0) return a;
        if (kind == 1) return a * std::pow(n, -b);
        if (kind == 2) return std::max(c, a * std::pow(b, n - 1));
        return c <= 1 ? b : a + (b - a) * std::min(1.0, (n - 1) / (c - 1));
    }
};

struct LearningRule {
    int64_t kind, trace, planning;  // trace: 0 none, 1 replacing, 2 accumulating; steps of Dyna after each real one
    double lambda;
    In1<double> rate, explore;  // (5,) schedules
    int64_t softmax;  // whether to explore by temperature rather than by epsilon
    int64_t lookahead;  // steps until a pair learns from what came of it
    void check() const {
        require(length(rate) == 5 && length(explore) == 5, "LearningRule: a schedule is five numbers");
        require(kind >= 0 && kind <= 4 && trace >= 0 && trace <= 2, "LearningRule: there is no such kind");
        require(planning >= 0, "LearningRule: planning must not be below 0");
        require(lookahead >= 1 && (lookahead == 1 || (kind != 0 && kind != 3 && !trace && !planning)),
                "LearningRule: a lookahead is for Sarsa and values, without traces and planning");
    }
};

class Learner {
    const World &world;
    const LearningRule &rule;
    const Schedule rate_of, explore_by;
    const int64_t S, A;
    double *Q, *Q2;
    int64_t *visits;
    const double *policy;
    Random &random;
    std::vector<double> trace, chances;
    std::vector<int64_t> active, known, last_next;
    std::vector<double> last_reward;
    std::vector<uint8_t> seen, last_ended;
    std::vector<int64_t> pending;  // the pairs of an episode whose rewards are still to come, from `oldest` on
    std::vector<double> pending_rewards;
    size_t oldest = 0;

  public:
    std::vector<uint8_t> ends;
    int64_t steps = 0, episode = 1;

    Learner(const World &world, const LearningRule &rule, double *Q, double *Q2, int64_t *visits, const double *policy,
            Random &random)
        : world(world), rule(rule), rate_of(rule.rate), explore_by(rule.explore), S(world.states()), A(world.actions),
          Q(Q), Q2(Q2), visits(visits), policy(policy), random(random), chances(A), ends(S, 1) {
        if (rule.trace) trace.assign(width() * S, 0.0);
        if (rule.planning) {
            last_next.resize(S * A), last_reward.resize(S * A);
            last_ended.resize(S * A), seen.assign(S * A, 0);
        }
        for (int64_t i = 0; i < S * A; ++i)
            if (world.begin.data()[i] < world.begin.data()[i + 1]) ends[i / A] = 0;
    }

    int64_t width() const { return rule.kind == 4 ? 1 : A; }
    int64_t place(int64_t s, int64_t a) const { return rule.kind == 4 ? s : s * A + a; }
    bool can(int64_t s, int64_t a) const { return world.begin.data()[s * A + a] < world.begin.data()[s * A + a + 1]; }
    double seen_value(int64_t s, int64_t a) const {
        const int64_t i = s * A + a;
        return rule.kind == 3 ? 0.5 * (Q[i] + Q2[i]) : Q[i];
    }
    double most(int64_t s) const {
        double best = -INFINITY;
        for (int64_t a = 0; a < A; ++a)
            if (can(s, a)) best = std::max(best, seen_value(s, a));
        return best;
    }

    // (A,) the chances of the actions in a state that is not terminal.
    void explore(int64_t s) {
        const double best = most(s);
        const double amount = explore_by.at(0, steps + 1, episode);
        double sum = 0.0, greedy = 0.0, possible = 0.0;
        for (int64_t a = 0; a < A; ++a)
            if (can(s, a)) greedy += seen_value(s, a) == best, possible += 1.0;
        for (int64_t a = 0; a < A; ++a) {
            if (!can(s, a)) chances[a] = 0.0;
            else if (rule.softmax) chances[a] = std::exp((seen_value(s, a) - best) / std::max(amount, COLDEST));
            else chances[a] = amount / possible + (seen_value(s, a) == best ? (1 - amount) / greedy : 0.0);
            sum += chances[a];
        }
        for (int64_t a = 0; a < A; ++a) chances[a] /= sum;
    }

    int64_t choose(int64_t s) {
        if (rule.kind == 4) return drawn(policy + s * A, A, random.uniform());
        explore(s);
        double u = random.uniform();
        int64_t last = 0;
        for (int64_t a = 0; a < A; ++a)
            if (chances[a] > 0) {
                last = a;
                if ((u -= chances[a]) < 0) return a;
            }
        return last;
    }

    double target(int64_t s, int64_t a, bool ended) {
        if (ended) return 0.0;
        if (rule.kind == 4) return Q[s];
        if (rule.kind == 1) return Q[s * A + a];
        if (rule.kind == 0) return most(s);
        explore(s);
        double sum = 0.0;
        for (int64_t b = 0; b < A; ++b)
            if (chances[b] > 0) sum += chances[b] * Q[s * A + b];
        return sum;
    }

    void update_double(int64_t i, double reward, int64_t s, bool ended, double rate) {
        double *one = Q, *other = Q2;
        if (random.uniform() < 0.5) std::swap(one, other);
        double following = 0.0;
        if (!ended) {
            int64_t best = -1;
            for (int64_t b = 0; b < A; ++b)
                if (can(s, b) && (best < 0 || one[s * A + b] > one[s * A + best])) best = b;
            following = other[s * A + best];
        }
        one[i] += rate * (reward + world.discount * following - one[i]);
    }

    // The pair of n steps ago learns; with the last step of an episode all that are left do.
    void update_late(int64_t i, double reward, int64_t after, int64_t b, bool ended, bool over) {
        pending.push_back(i), pending_rewards.push_back(reward);
        if (int64_t(pending.size() - oldest) < rule.lookahead && !over) return;
        const double following = target(after, b, ended);
        do {
            double sum = following;
            for (size_t k = pending.size(); k-- > oldest;) sum = pending_rewards[k] + world.discount * sum;
            const int64_t j = pending[oldest++];
            Q[j] += rate_of.at(++visits[j], steps + 1, episode) * (sum - Q[j]);
        } while (over && oldest < pending.size());
        if (over) pending.clear(), pending_rewards.clear(), oldest = 0;
    }

    // One step from s by a to `after`, where b is to be taken.
    void update(int64_t s, int64_t a, double reward, int64_t after, int64_t b, bool ended, bool over) {
        const int64_t i = place(s, a);
        if (rule.lookahead > 1) return update_late(i, reward, after, b, ended, over);
        const double rate = rate_of.at(++visits[i], steps + 1, episode);
        if (rule.kind == 3) return update_double(i, reward, after, ended, rate);
        const double delta = reward + world.discount * target(after, b, ended) - Q[i];
        if (!rule.trace) {
            Q[i] += rate * delta;
            return;
        }
        const bool greedy = rule.kind != 0 || ended || Q[after * A + b] == most(after);
        if (trace[i] == 0.0) active.push_back(i);
        trace[i] = rule.trace == 1 ? 1.0 : trace[i] + 1.0;
        const double fade = greedy ? world.discount * rule.lambda : 0.0;
        size_t kept = 0;
        for (const int64_t j : active) {
            Q[j] += rate * delta * trace[j];
            trace[j] *= fade;
            if (trace[j] < FADED) trace[j] = 0.0;
            else active[kept++] = j;
        }
        active.resize(kept);
    }

    void forget_traces() {
        for (const int64_t j : active) trace[j] = 0.0;
        active.clear();
    }

    // Dyna: steps that are remembered, the last outcome of a pair drawn at random.
    void plan(int64_t i, double reward, int64_t after, bool ended) {
        if (!seen[i]) known.push_back(i), seen[i] = 1;
        last_next[i] = after, last_reward[i] = reward, last_ended[i] = ended;
        for (int64_t t = 0; t < rule.planning; ++t) {
            const int64_t j = known[int64_t(random.uniform() * known.size())];
            const int64_t to = last_next[j];
            const double rate = rate_of.at(visits[j], steps + 1, episode);
            const bool over = last_ended[j];
            const int64_t b = rule.kind == 1 && !over ? choose(to) : 0;
            if (rule.kind == 3) update_double(j, last_reward[j], to, over, rate);
            else Q[j] += rate * (last_reward[j] + world.discount * target(to, b, over) - Q[j]);
        }
    }
};

struct Log {
    std::vector<int64_t> episode, state, action, next;
    std::vector<double> reward;
    std::vector<uint8_t> terminated, truncated;
};

template <class Table>
bool fits(const Table &table, int64_t rows, int64_t columns) {
    return length(table) == rows && int64_t(table.shape(1)) == columns;
}

void check_tables(const World &world, const LearningRule &rule, const InOut2<double> &q, const InOut2<double> &q2,
                  const InOut2<int64_t> &visits) {
    const int64_t S = world.states(), width = rule.kind == 4 ? 1 : world.actions;
    require(fits(q, S, width) && fits(visits, S, width), "experience: a value and a count for each pair");
    require(rule.kind != 3 || fits(q2, S, width), "experience: double Q needs a second table");
}

// Episodes until there are enough of them or of steps: the return and the length of each, and the log if one is kept.
nb::tuple experience(const World &world, const LearningRule &rule, InOut2<double> q, InOut2<double> q2,
                     InOut2<int64_t> visits, In2<double> policy, InOut1<uint64_t> words, int64_t episodes,
                     int64_t most_steps, int64_t all_steps, InOut1<int64_t> done, bool log) {
    const int64_t S = world.states(), A = world.actions;
    check_tables(world, rule, q, q2, visits);
    require(rule.kind != 4 || fits(policy, S, A), "experience: values need the policy that is followed");
    require(length(words) == 4 && length(done) == 2, "experience: four words of the generator, and two counts");
    require(episodes >= 0 && most_steps > 0 && all_steps >= 0, "experience: counts must not be below 0");
    std::vector<double> returns;
    std::vector<int64_t> lengths;
    Log kept;
    {
        nb::gil_scoped_release unlocked;
        Random random(words.data());
        Learner learner(world, rule, q.data(), q2.data(), visits.data(), policy.data(), random);
        learner.steps = done.data()[0], learner.episode = done.data()[1] + 1;
        const int64_t last_step = learner.steps + all_steps;
        for (int64_t e = 0; e < episodes && learner.steps < last_step; ++e, ++learner.episode) {
            int64_t s = drawn(world.start.data(), S, random.uniform()), t = 0;
            double sum = 0.0, factor = 1.0;
            int64_t a = learner.ends[s] ? 0 : learner.choose(s);
            bool over = learner.ends[s];
            while (!over) {
                const int64_t i = s * A + a, from = world.begin.data()[i], count = world.begin.data()[i + 1] - from;
                if (count <= 0) break;  // a policy that takes what cannot be taken
                const int64_t k = from + drawn(world.cumulated.data() + from, count, random.uniform());
                const int64_t after = world.next.data()[k];
                const double reward = world.earned.data()[k];
                const bool ended = learner.ends[after];
                const int64_t b = ended ? 0 : learner.choose(after);
                over = ended || t + 1 == most_steps || learner.steps + 1 >= last_step;
                learner.update(s, a, reward, after, b, ended, over);
                if (rule.planning && rule.kind != 4) learner.plan(i, reward, after, ended);
                ++learner.steps, ++t;
                sum += factor * reward, factor *= world.discount;
                if (log) {
                    kept.episode.push_back(e), kept.state.push_back(s), kept.action.push_back(a);
                    kept.reward.push_back(reward), kept.next.push_back(after);
                    kept.terminated.push_back(ended), kept.truncated.push_back(over && !ended);
                }
                s = after, a = b;
            }
            learner.forget_traces();
            returns.push_back(sum), lengths.push_back(t);
        }
        random.keep(words.data());
        done.data()[0] = learner.steps, done.data()[1] = learner.episode - 1;
    }
    return nb::make_tuple(give(std::move(returns)), give(std::move(lengths)), give(std::move(kept.episode)),
                          give(std::move(kept.state)), give(std::move(kept.action)), give(std::move(kept.reward)),
                          give(std::move(kept.next)), give(std::move(kept.terminated)),
                          give(std::move(kept.truncated)));
}

// The same learning beside an environment that is not a table: it tells what came of each action, and is told the next.
class Companion {
    const World world;  // of which the actions that can be taken and the discount count, and no outcomes
    const LearningRule rule;
    const InOut2<double> q, q2;
    const InOut2<int64_t> visits;
    Random random;
    Learner learner;
    int64_t s = -1, a = -1;

  public:
    Companion(const World &world, const LearningRule &rule, InOut2<double> q, InOut2<double> q2, InOut2<int64_t> visits,
              In1<uint64_t> words)
        : world(world), rule(rule), q(q), q2(q2), visits(visits), random(checked(world, rule, q, q2, visits, words)),
          learner(this->world, this->rule, this->q.data(), this->q2.data(), this->visits.data(), nullptr, random) {}
    Companion(const Companion &) = delete;

    // The first action of an episode.
    int64_t begin(int64_t state) {
        require(state >= 0 && state < world.states(), "begin: there is no such state");
        require(!learner.ends[size_t(state)], "begin: there is no action in this state");
        s = state;
        return a = learner.choose(s);
    }

    // Learn from what came of the last action; the next one, or -1 where the episode is over.
    int64_t step(double reward, int64_t after, bool terminated, bool truncated) {
        require(s >= 0, "step: an episode must begin first");
        require(after >= 0 && after < world.states(), "step: there is no such state");
        const bool ended = terminated || learner.ends[size_t(after)];
        const int64_t b = ended ? 0 : learner.choose(after);
        learner.update(s, a, reward, after, b, ended, ended || truncated);
        if (rule.planning) learner.plan(s * world.actions + a, reward, after, ended);
        ++learner.steps;
        s = after, a = b;
        if (!ended && !truncated) return b;
        learner.forget_traces();
        ++learner.episode;
        s = -1;
        return -1;
    }

  private:
    static const uint64_t *checked(const World &world, const LearningRule &rule, const InOut2<double> &q,
                                   const InOut2<double> &q2, const InOut2<int64_t> &visits,
                                   const In1<uint64_t> &words) {
        check_tables(world, rule, q, q2, visits);
        require(rule.kind != 4, "Companion: learns what actions are worth");
        require(length(words) == 4, "Companion: four words of the generator");
        return words.data();
    }
};

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<World>(m, "World", field("begin", &World::begin), field("next", &World::next),
                  field("cumulated", &World::cumulated), field("earned", &World::earned), field("start", &World::start),
                  field("actions", &World::actions), field("discount", &World::discount));
    record<LearningRule>(m, "LearningRule", field("kind", &LearningRule::kind), field("trace", &LearningRule::trace),
                         field("planning", &LearningRule::planning), field("fade", &LearningRule::lambda),
                         field("rate", &LearningRule::rate), field("explore", &LearningRule::explore),
                         field("softmax", &LearningRule::softmax), field("lookahead", &LearningRule::lookahead));
    define(m, "experience", &experience, "world", "rule", "q", "q2", "visits", "policy", "words", "episodes",
           "most_steps", "all_steps", "done", "log");
    nb::class_<Companion>(m, "Companion")
        .def(nb::init<const World &, const LearningRule &, InOut2<double>, InOut2<double>, InOut2<int64_t>,
                      In1<uint64_t>>(),
             nb::arg("world"), nb::arg("rule"), nb::arg("q").noconvert(), nb::arg("q2").noconvert(),
             nb::arg("visits").noconvert(), nb::arg("words"))
        .def("begin", &Companion::begin, nb::arg("state"))
        .def("step", &Companion::step, nb::arg("reward"), nb::arg("after"), nb::arg("terminated"),
             nb::arg("truncated"));
}
