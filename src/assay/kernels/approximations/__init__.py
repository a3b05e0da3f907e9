"""Explicit features whose dot products approximate a kernel."""
