"""Filters: columns judged by what they tell of the target, without a learner."""
