"""Machines of several classes in one problem: Crammer and Singer, Weston and Watkins."""
