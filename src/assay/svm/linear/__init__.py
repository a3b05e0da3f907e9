"""Machines of linear score, with solvers of their own."""
