"""
Coefficients grow with the degree
=================================

Polynomials of degree 1 to 4 fitted to samples of 20 rows from 2 sin(1.5 x) with noise: the more freedom, the larger the
coefficients, positive and negative ones that cancel each other. That is what a ridge penalty, on the right, holds
back.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import PolynomialRegressor

random = np.random.default_rng(0)
degrees, alphas = [1, 2, 3, 4], [0.0, 0.1, 1.0, 10.0]
largest = {alpha: np.empty((100, 4)) for alpha in alphas}
for i in range(100):
    x = random.uniform(0, 5, (20, 1))
    r = 2 * np.sin(1.5 * x[:, 0]) + random.normal(size=20)
    for alpha in alphas:
        for j, k in enumerate(degrees):
            model = PolynomialRegressor(k, alpha=alpha, penalize_intercept=True).fit(x, r)
            largest[alpha][i, j] = max(abs(model.intercept_), *np.abs(model.coef_))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.boxplot(
    largest[0.0], tick_labels=degrees, showfliers=False, medianprops={"color": class_colour(1), "lw": 2}
)
left.set(xlabel="degree", ylabel="largest coefficient", title="least squares, 100 samples")
for i, alpha in enumerate(alphas):
    right.plot(
        degrees, np.median(largest[alpha], axis=0), "o-", color=class_colour(i), label=f"penalty {alpha:g}"
    )
right.set(xticks=degrees, xlabel="degree", title="medians with a ridge penalty")
right.legend(frameon=False)
plt.show()
