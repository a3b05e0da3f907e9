"""Bandits: one decision, again and again, and what another policy would have earned."""
