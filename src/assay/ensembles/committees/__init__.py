"""Committees: different learners that vote, are stacked, selected or asked one after the other."""
