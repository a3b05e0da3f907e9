"""
Fewer errors, fewer answers
===========================

A classifier that may refuse to answer errs less on what it does answer. The curve shows the error on the accepted
rows against the share of rows rejected, for naive Bayes on the breast cancer data.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.bayes import GaussianNB
from assay.decide import risk_coverage_curve
from assay.tables.data import load_breast_cancer

data = load_breast_cancer()
X_train, X_test, y_train, y_test = data.split(test_size=0.4, random_state=0)
model = GaussianNB().fit(X_train, y_train)
posterior = model.predict_proba(X_test)
wrong = (model.classes_[posterior.argmax(axis=1)] != y_test).astype(float)
curve = risk_coverage_curve(wrong, posterior.max(axis=1))

figure, axis = plt.subplots(figsize=(7, 4.5), layout="constrained")
axis.step(1 - np.asarray(curve.coverage), curve.risk, where="post", color="#0b5cad")
axis.set(xlabel="share of rows rejected", ylabel="error on the accepted rows", xlim=(0, 1), ylim=(0, None))
plt.show()
