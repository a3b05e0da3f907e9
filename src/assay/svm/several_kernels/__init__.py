"""Machines that learn how much each of several kernels counts."""
