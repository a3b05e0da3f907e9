"""
Do probabilities mean what they say?
====================================

Naive Bayes counts columns that repeat each other as fresh evidence, and so is too sure of itself; calibration on
held-out rows repairs it. The band shows where the points of right probabilities would lie by chance alone; above
are the numbers of rows that got each probability.
"""

import matplotlib.pyplot as plt

from assay.bayes import GaussianNB
from assay.decide import CalibratedClassifierCV
from assay.evaluate import compare
from assay.metrics import calibration_error
from assay.plots import CalibrationDisplay
from assay.tables.data import load_breast_cancer

learners = {
    "naive Bayes": GaussianNB(),
    "naive Bayes, calibrated": CalibratedClassifierCV(GaussianNB(), method="isotonic"),
}
result = compare(learners, load_breast_cancer(), design="5-fold", metrics=["log-loss"])
errors = {}
figure, axes = plt.subplots(1, 2, figsize=(11, 5.6), layout="constrained")
for axis, name in zip(axes, learners):
    display = CalibrationDisplay.from_comparison(result, name, band=True, n_bins=8, ax=axis)
    rows = result.out_of_fold(name)
    errors[name] = calibration_error(rows.truth, rows.posterior)
    axis.text(0.04, 0.93, f"calibration error {errors[name]:.3f}", transform=axis.transAxes)
plt.show()
