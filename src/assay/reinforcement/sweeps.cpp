// Sweeps of dynamic programming over all states, and walks along a policy.
//
//     Q(s, a) = R(s, a) + gamma sum_s' P(s'|s, a) V(s'),     V(s) = max_a Q(s, a)
//
// Outcomes of action a in state s are begin[s A + a] up to begin[s A + a + 1]; an action without any cannot be taken, a
// state without any action is terminal and keeps its value, 0. Twin in NumPy: tests/reinforcement/test_sweeps.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/random.hpp"

using namespace assay;

namespace {

struct Process {
    In1<int64_t> begin;  // (S A + 1,)
    In1<int64_t> next;  // of each outcome
    In1<double> chance;
    In2<double> reward;  // (S, A) expected
    double discount;
    int64_t states() const { return int64_t(reward.shape(0)); }
    int64_t actions() const { return int64_t(reward.shape(1)); }
    void check() const {
        const int64_t m = length(next);
        require(states() > 0 && actions() > 0, "Process: there must be a state and an action");
        require(length(chance) == m, "Process: a probability for each outcome");
        require(shares_out(begin, sized(states(), actions(), "Process: too many actions"), m, true),
                "Process: begin must share out the outcomes");
        require(within(next, 0, states()), "Process: next states must be states");
        require(discount >= 0 && discount <= 1, "Process: discount must be from 0 to 1");
    }
};

inline double worth(const Process &p, int64_t i, const double *V) {
    double sum = 0.0;
    const int64_t *next = p.next.data();
    const double *chance = p.chance.data();
    for (int64_t k = p.begin.data()[i], end = p.begin.data()[i + 1]; k < end; ++k) sum += chance[k] * V[next[k]];
    return p.reward.data()[i] + p.discount * sum;
}

// Up to `most` sweeps of value iteration, until none changes a value by more than `tolerance`; (sweeps, last change).
// In place, states are visited forwards and backwards in turns, so that values spread both ways within a sweep.
nb::tuple improve_values(const Process &p, InOut1<double> values, int64_t most, double tolerance, bool in_place) {
    const int64_t S = p.states(), A = p.actions();
    require(length(values) == S, "improve_values: a value for each state");
    double change = 0.0;
    int64_t sweeps = 0;
    {
        nb::gil_scoped_release unlocked;
        const int64_t *begin = p.begin.data();
        std::vector<double> room(in_place ? 0 : S);
        double *V = values.data();
        while (sweeps < most) {
            double *W = in_place ? V : room.data();
            change = 0.0;
            for (int64_t t = 0; t < S; ++t) {
                const int64_t s = in_place && sweeps % 2 ? S - 1 - t : t;
                double best = -INFINITY;
                for (int64_t i = s * A; i < (s + 1) * A; ++i)
                    if (begin[i] < begin[i + 1]) best = std::max(best, worth(p, i, V));
                if (best == -INFINITY) best = V[s];
                const double step = std::fabs(best - V[s]);
                if (!(step <= change)) change = step;
                W[s] = best;
            }
            if (!in_place) std::copy(room.begin(), room.end(), V);
            ++sweeps;
            if (change < tolerance || !(change < INFINITY)) break;
        }
    }
    return nb::make_tuple(sweeps, change);
}

// `sweeps` times V(s) = Q(s, policy(s)) in place, forwards and backwards in turns (-1 for no action); the last change.
double follow(const Process &p, InOut1<double> values, In1<int64_t> policy, int64_t sweeps) {
    const int64_t S = p.states(), A = p.actions();
    require(length(values) == S && length(policy) == S, "follow: a value and an action for each state");
    require(within(policy, -1, A), "follow: actions must be actions, or -1");
    nb::gil_scoped_release unlocked;
    double *V = values.data(), change = 0.0;
    for (int64_t t = 0; t < sweeps; ++t) {
        change = 0.0;
        for (int64_t k = 0; k < S; ++k) {
            const int64_t s = t % 2 ? S - 1 - k : k, a = policy.data()[s];
            if (a < 0) continue;
            const double value = worth(p, s * A + a, V);
            change = std::max(change, std::fabs(value - V[s]));
            V[s] = value;
        }
    }
    return change;
}

// Episodes along a policy: episode, state, action, reward, next state, terminated, truncated of every step.
nb::tuple walk(const Process &p, In1<double> earned, In2<double> policy, In1<double> start, int64_t episodes,
               int64_t most_steps, uint64_t seed) {
    const int64_t S = p.states(), A = p.actions();
    require(length(earned) == length(p.next), "walk: a reward for each outcome");
    require(length(policy) == S && int64_t(policy.shape(1)) == A, "walk: a policy is (S, A)");
    require(length(start) == S, "walk: a chance to start for each state");
    require(episodes >= 0 && most_steps >= 0, "walk: counts must not be below 0");
    std::vector<int64_t> episode, state, action, next;
    std::vector<double> reward;
    std::vector<uint8_t> terminated, truncated;
    {
        nb::gil_scoped_release unlocked;
        Random random(seed, 0);
        std::vector<double> cumulated(length(p.next));
        for (int64_t i = 0; i < S * A; ++i) {
            double sum = 0.0;
            for (int64_t k = p.begin.data()[i]; k < p.begin.data()[i + 1]; ++k)
                cumulated[k] = sum += p.chance.data()[k];
        }
        std::vector<uint8_t> ends(S, 1);
        for (int64_t i = 0; i < S * A; ++i)
            if (p.begin.data()[i] < p.begin.data()[i + 1]) ends[i / A] = 0;
        for (int64_t e = 0; e < episodes; ++e) {
            int64_t s = drawn(start.data(), S, random.uniform());
            for (int64_t t = 0; t < most_steps && !ends[s]; ++t) {
                const int64_t a = drawn(policy.data() + s * A, A, random.uniform()), i = s * A + a;
                const int64_t from = p.begin.data()[i], count = p.begin.data()[i + 1] - from;
                if (count <= 0) break;  // a policy that takes what cannot be taken
                const int64_t k = from + drawn(cumulated.data() + from, count, random.uniform());
                const int64_t after = p.next.data()[k];
                episode.push_back(e), state.push_back(s), action.push_back(a), next.push_back(after);
                reward.push_back(earned.data()[k]);
                terminated.push_back(ends[after]), truncated.push_back(!ends[after] && t + 1 == most_steps);
                s = after;
            }
        }
    }
    return nb::make_tuple(give(std::move(episode)), give(std::move(state)), give(std::move(action)),
                          give(std::move(reward)), give(std::move(next)), give(std::move(terminated)),
                          give(std::move(truncated)));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Process>(m, "Process", field("begin", &Process::begin), field("next", &Process::next),
                    field("chance", &Process::chance), field("reward", &Process::reward),
                    field("discount", &Process::discount));
    define(m, "improve_values", &improve_values, "process", "values", "most", "tolerance", "in_place");
    define(m, "follow", &follow, "process", "values", "policy", "sweeps");
    define(m, "walk", &walk, "process", "earned", "policy", "start", "episodes", "most_steps", "seed");
}
