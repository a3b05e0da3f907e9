"""Rules as objects: conditions, rules, rule bases, their text, their measures, and how they are applied."""

from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import Rule, RuleBase

__all__ = ["Condition", "LinearAnswer", "LinearCondition", "Rule", "RuleBase"]
