"""Boxes, balls and other hypotheses that agree with the labelled rows, and the version spaces that they make up."""
