"""
Shattered points
================

A class of hypotheses shatters points if it realises every labelling of them. Lines shatter three points in the
plane that do not lie on one line, but no four: of a square, the two labellings of opposite corners have no line.
Boxes shatter four.
"""

import matplotlib.pyplot as plt

from assay.plots import ShatteringDisplay

figure, axes = plt.subplots(1, 3, figsize=(11, 4.8), layout="constrained", width_ratios=[2, 4, 4])
three = ShatteringDisplay.from_points("lines", [(0, 0), (1, 0), (0.4, 0.9)], columns=2, ax=axes[0])
square = ShatteringDisplay.from_points("lines", [(0, 0), (1, 0), (0, 1), (1, 1)], ax=axes[1])
boxes = ShatteringDisplay.from_points("boxes", [(0, 1), (1, 0), (0, -1), (-1, 0)], ax=axes[2])
plt.show()
