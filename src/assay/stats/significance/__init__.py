"""Significance tests, what they return, their power, and which of them fits a design."""
