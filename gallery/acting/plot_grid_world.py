"""
A grid world: values, moves, and agents that learn them
=======================================================

On the left what each cell is worth with moves that go astray one time in five, and the best move: around the pit, not
past it. On the right three agents that do not know the map: the return of an episode, by how many they have learned
from, as the mean of ten seeds with its 95 % interval. Remembered steps (Dyna) and traces speed up the beginning.
"""

import matplotlib.pyplot as plt

from assay.plots import GridWorldDisplay, ReturnsDisplay
from assay.reinforcement import GridWorld, QLearning, Sarsa

world = GridWorld("......G\n.##.#..\n.#..#..\nS..X...", goal_reward=100, pit_reward=-100, slip=0.1)
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
GridWorldDisplay.from_solution(world.solve(), ax=left)
agents = {
    "Q-learning": QLearning(0.3),
    "Dyna-Q, 10 remembered steps": QLearning(0.3, planning_steps=10),
    "Sarsa with traces": Sarsa(0.3, fade=0.8),
}
ReturnsDisplay.from_agents(agents, world, 150, window=10, ax=right)
plt.show()
