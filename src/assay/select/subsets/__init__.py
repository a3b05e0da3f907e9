"""Scores of subsets of columns, fold by fold: what a search asks for."""
