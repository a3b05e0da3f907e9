"""Acting: decision processes that are solved, learned by experience, or seen through observations alone."""

from assay.reinforcement.agents import DoubleQLearning, ExpectedSarsa, QLearning, Sarsa
from assay.reinforcement.bandits.course import BanditCourse, simulate_bandit
from assay.reinforcement.bandits.lin_ucb import LinUCB
from assay.reinforcement.bandits.model_bandit import ModelBandit
from assay.reinforcement.bandits.off_policy import OffPolicyValue, off_policy_value
from assay.reinforcement.bandits.strategies import UCB1, ThompsonSampling, ValueBandit
from assay.reinforcement.episodes import Episodes, discounted_return
from assay.reinforcement.exploration import EpsilonGreedy, Softmax
from assay.reinforcement.features import RadialFeatures, TileCoding
from assay.reinforcement.grid_world import GridWorld
from assay.reinforcement.learned_values import LearnedValues
from assay.reinforcement.linear_agents import LinearQLearning, LinearSarsa, semi_gradient_step
from assay.reinforcement.mdp import MDP
from assay.reinforcement.network_agents import NetworkQLearning, NetworkSarsa
from assay.reinforcement.observed_process import ObservedProcess, UncertainSolution
from assay.reinforcement.pomdp import POMDP, BeliefValue, Plan
from assay.reinforcement.schedule import Schedule
from assay.reinforcement.solution import Backup, Solution
from assay.reinforcement.temporal_difference import TemporalDifference
from assay.reinforcement.tiger import tiger

__all__ = [
    "MDP",
    "POMDP",
    "UCB1",
    "Backup",
    "BanditCourse",
    "BeliefValue",
    "DoubleQLearning",
    "Episodes",
    "EpsilonGreedy",
    "ExpectedSarsa",
    "GridWorld",
    "LearnedValues",
    "LinUCB",
    "LinearQLearning",
    "LinearSarsa",
    "ModelBandit",
    "NetworkQLearning",
    "NetworkSarsa",
    "ObservedProcess",
    "OffPolicyValue",
    "Plan",
    "QLearning",
    "RadialFeatures",
    "Sarsa",
    "Schedule",
    "Softmax",
    "Solution",
    "TemporalDifference",
    "ThompsonSampling",
    "TileCoding",
    "UncertainSolution",
    "ValueBandit",
    "discounted_return",
    "off_policy_value",
    "semi_gradient_step",
    "simulate_bandit",
    "tiger",
]
