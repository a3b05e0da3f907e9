"""Experiments from design to conclusion: factors, runs that can be resumed, many data sets."""

__all__: list[str] = []
