"""Effect sizes: how large a difference is, with its interval."""
