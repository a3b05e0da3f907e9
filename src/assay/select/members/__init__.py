"""Choosing members of an ensemble from a library of models."""
