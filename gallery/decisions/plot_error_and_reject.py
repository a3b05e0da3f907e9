"""
Fewer errors, fewer answers
===========================

A classifier that may refuse to answer errs less on what it does answer. The curve shows the error on the accepted
rows against the share of rows rejected, for naive Bayes on the breast cancer data.
"""

import matplotlib.pyplot as plt

from assay.bayes import GaussianNB
from assay.plots import RiskCoverageDisplay
from assay.tables.data import load_breast_cancer

X_train, X_test, y_train, y_test = load_breast_cancer().split(test_size=0.4, random_state=0)
model = GaussianNB().fit(X_train, y_train)

figure, axis = plt.subplots(figsize=(7, 4.5), layout="constrained")
display = RiskCoverageDisplay.from_estimator(model, X_test, y_test, kind="reject", ax=axis)
curve = display.curves["GaussianNB"]
plt.show()
