"""Measured ratios against the best peer: time to fit, time to predict, peak memory, growth with n and d."""
