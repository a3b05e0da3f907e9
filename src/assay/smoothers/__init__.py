"""Regression without a formula for its shape: means, lines and splines of what is near."""

__all__: list[str] = []
