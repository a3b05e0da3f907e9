"""
How many rows does a comparison need?
=====================================

The power of a test is the probability that it finds a difference that is there. Left, the t test over values whose
spread is one; right, McNemar's test of two classifiers that disagree on a tenth of the rows: to see one per cent of
difference takes thousands of test rows.
"""

import matplotlib.pyplot as plt

from assay.plots import PowerDisplay

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
means = PowerDisplay.from_test("t", [0.2, 0.3, 0.5, 0.8], ax=left)
rates = PowerDisplay.from_test("mcnemar", [0.02, 0.03, 0.05], disagree=0.1, ax=right)
right.set_xlabel("test rows")
plt.show()
