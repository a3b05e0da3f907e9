"""Measures of classifiers, each with an interval, and the curves behind them."""

__all__: list[str] = []
