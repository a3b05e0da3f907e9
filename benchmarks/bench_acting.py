"""Acting against Gymnasium in a Python loop, QuantEcon and MABWiser, where they are installed."""

from __future__ import annotations

import numpy as np

from assay.reinforcement import UCB1, EpsilonGreedy, GridWorld, QLearning, tiger
from benchmarks.harness import Race

STEPS = 20_000
PULLS = 300


def races() -> list[Race]:
    return gymnasium_races() + quantecon_races() + mabwiser_races()


def gymnasium_races() -> list[Race]:
    """Q-learning on the same lake: our native loop, and the loop that people write."""
    try:
        import gymnasium
    except ImportError:
        return []
    from assay.reinforcement import MDP

    environment = gymnasium.make("FrozenLake-v1")
    lake = MDP.from_gymnasium(environment)

    def ours():
        return QLearning(0.1, exploration=EpsilonGreedy(0.1), random_state=0).fit(lake, n_steps=STEPS)

    def peer():
        rng = np.random.default_rng(0)
        q = np.zeros((16, 4))
        state, _ = environment.reset(seed=0)
        for _ in range(STEPS):
            action = int(rng.integers(4)) if rng.random() < 0.1 else int(np.argmax(q[state]))
            after, reward, terminated, truncated, _ = environment.step(action)
            q[state, action] += 0.1 * (reward + 0.99 * (not terminated) * q[after].max() - q[state, action])
            state = environment.reset()[0] if terminated or truncated else after
        return q

    def beside():
        return QLearning(0.1, exploration=EpsilonGreedy(0.1), random_state=0).fit(environment, n_steps=STEPS)

    return [
        Race("Q-learning, FrozenLake", f"{STEPS} steps", ours, peer),
        Race("Q-learning beside the environment, FrozenLake", f"{STEPS} steps", beside, peer),
    ]


def quantecon_races() -> list[Race]:
    """Value iteration on a grid of 100 x 100 cells, to values right to 1e-6."""
    try:
        from quantecon.markov import DiscreteDP
    except ImportError:
        return []
    world = GridWorld(
        "\n".join(["G" + "." * 99, *["." * 100] * 99]), goal_reward=1.0, slip=0.1, discount=0.95
    )
    S, A = world.rewards.shape
    able = world.available.ravel()
    rows = np.flatnonzero(able)
    ends = np.flatnonzero(world.terminal)
    transitions = world.transition_matrix[rows]
    from scipy import sparse

    loops = sparse.csr_array((np.ones(len(ends)), (np.arange(len(ends)), ends)), shape=(len(ends), S))
    states = np.concatenate([rows // A, ends])
    order = np.lexsort((np.concatenate([rows % A, np.zeros(len(ends), dtype=int)]), states))
    chances = sparse.csr_matrix(sparse.vstack([transitions, loops]).tocsr()[order])
    rewards = np.concatenate([world.rewards.ravel()[rows], np.zeros(len(ends))])[order]
    actions = np.concatenate([rows % A, np.zeros(len(ends), dtype=int)])[order]
    problem = DiscreteDP(rewards, chances, 0.95, states[order], actions)
    compared = []
    for method, theirs in (("value iteration", "vi"), ("modified policy iteration", "mpi")):
        compared.append(
            Race(
                method,
                "100 x 100 cells",
                lambda m=method: world.solve(m, epsilon=1e-6),
                lambda m=theirs: problem.solve(method=m, epsilon=1e-6),
            )
        )
    return compared


def mabwiser_races() -> list[Race]:
    """Upper confidence bounds, one pull after the other."""
    try:
        from mabwiser.mab import MAB, LearningPolicy
    except ImportError:
        return []
    chance = np.array([0.2, 0.5, 0.6, 0.4, 0.3])
    luck = np.random.default_rng(0).random((PULLS, 5)) < chance

    def ours():
        bandit = UCB1(5, random_state=0)
        for t in range(PULLS):
            arm = bandit.choose()
            bandit.learn(arm, float(luck[t, arm]))
        return bandit

    def peer():
        bandit = MAB(list(range(5)), LearningPolicy.UCB1(alpha=1.0), seed=0)
        bandit.fit(list(range(5)), [0.0] * 5)
        for t in range(PULLS):
            arm = bandit.predict()
            bandit.partial_fit([arm], [float(luck[t, arm])])
        return bandit

    def one_of_many():
        """As many pulls as the peer's, of runs that go on side by side."""
        bandit = UCB1(5, n_runs=PULLS, random_state=0)
        runs = np.arange(PULLS)
        arms = bandit.choose()
        return bandit.learn(arms, luck[runs, arms].astype(float))

    size = f"{PULLS} pulls of 5 arms"
    return [
        Race("UCB1, one pull after the other", size, ours, peer),
        Race("UCB1, the pulls of many runs at once", size, one_of_many, peer, repeat=3),
    ]


def growths() -> list[str]:
    import time

    start = time.process_time()
    lines = len(tiger().plan(20).plans)
    return [f"the tiger to horizon 20, exactly: {time.process_time() - start:.2g} s, {lines} lines"]
