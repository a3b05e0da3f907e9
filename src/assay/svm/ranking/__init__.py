"""Rankers with a margin: support vector machines that learn from preferences."""
