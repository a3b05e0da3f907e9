"""Entropy and its relatives, information criteria, and cuts chosen by description length."""
