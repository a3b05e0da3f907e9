"""
Regression within a tube
========================

Support vector regression does not mind errors up to epsilon. Least squares minds all of them, and large ones most
(upper left). Rows inside the tube have no part in the function: it is made of those on the edge (circles) and outside
(squares). A straight line, a parabola, and two widths of the Gaussian kernel: the narrow one follows the noise. A wide
tube needs few rows (IML 13.10).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.kernels import RBF, Polynomial
from assay.plots import TubeDisplay
from assay.svm import SVR

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0, 8, 26))
y = 4 + 0.9 * x - 0.14 * x**2 + rng.normal(scale=0.45, size=len(x))

figure, axes = plt.subplots(2, 3, figsize=(12.5, 7), layout="constrained")
residual = np.linspace(-2, 2, 401)
losses = axes[0, 0]
losses.plot(residual, residual**2, color="#b35806", label="squared error")
losses.plot(residual, np.maximum(0, np.abs(residual) - 0.25), color="#2166ac", label="beyond epsilon = 0.25")
losses.set(xlabel="residual", ylabel="loss", ylim=(0, 2))
losses.set_title("What a residual costs", fontsize=10, loc="left")
losses.legend(frameon=False)

machines = {
    "linear": "linear",
    "quadratic": Polynomial(2),
    "Gaussian, variance 5": RBF(np.sqrt(5)),
    "Gaussian, variance 0.1": RBF(np.sqrt(0.1)),
}
for ax, (name, kernel) in zip(axes.flat[1:], machines.items()):
    machine = SVR(kernel=kernel, C=10, epsilon=0.25, tol=1e-6).fit(x[:, None], y)
    TubeDisplay.from_estimator(machine, x[:, None], y, title=f"{name}: C = 10, epsilon = 0.25", ax=ax)

wide = SVR(kernel=RBF(np.sqrt(5)), C=10, epsilon=0.8, tol=1e-6).fit(x[:, None], y)
TubeDisplay.from_estimator(wide, x[:, None], y, title="Gaussian, variance 5: epsilon = 0.8", ax=axes[1, 2])
plt.show()
