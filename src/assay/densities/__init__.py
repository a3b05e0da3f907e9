"""Densities without a formula for their shape: histograms, kernels, neighbours."""

__all__: list[str] = []
