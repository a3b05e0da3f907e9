"""Kernel machines whose functions are sums over landmarks: their cost grows with the rows alone."""
