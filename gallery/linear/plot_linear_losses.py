"""
What linear models pay for a mistake
====================================

Linear models differ in the loss of the margin :math:`ys`. The 0/1 error is what counts, and no gradient can lower it;
hinge, squared error, exponential and log loss in bits lie above it everywhere, so that making them small makes it
small. On the right the four that belong to separators of one table: least squares also punishes rows that are too
right, the perceptron is content as soon as the side is right.
"""

import matplotlib.pyplot as plt

from assay.plots import LossCurvesDisplay

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
display = LossCurvesDisplay.from_losses(ax=left, top=5)
left.set_title("bounds of the 0/1 error")
four = LossCurvesDisplay.from_losses(
    ["zero_one", "log_loss", "hinge", "squared_error", "perceptron"], ax=right, top=5
)
right.set_title("logistic, support vectors, least squares, perceptron")
plt.show()
