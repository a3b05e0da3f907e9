"""Plots: one Display per picture, drawn with matplotlib."""

__all__: list[str] = []
