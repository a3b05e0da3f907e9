"""Ensembles: many learners that answer together."""

__all__: list[str] = []
