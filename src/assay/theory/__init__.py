"""Learning theory as calculators: bounds, sample sizes, shattering, and what they promise of a learner."""

__all__: list[str] = []
