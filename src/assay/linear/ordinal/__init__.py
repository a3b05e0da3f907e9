"""Models of ordered classes."""
