"""
Likelihood and evidence against the degree of a polynomial
==========================================================

Thirteen points of a cubic with noise. The likelihood of the best polynomial rises with every degree; the evidence, in
which the weights are integrated out, is highest at the true one. BIC agrees as long as the noise is known. If the noise
is estimated as well, thirteen points are too few for it: it ends at the largest degree.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.stats import bayesian_model_selection, bic, gaussian_log_likelihood

x = np.arange(-1.5, 1.51, 0.25)
r = np.array([-1.09, -0.11, 0.66, 0.73, 0.49, 0.45, 0.33, -0.12, -0.80, -1.02, -0.66, 0.09, 0.54])
degrees = np.arange(9)
designs = [np.vander(x, degree + 1, increasing=True) for degree in degrees]
sse = [float(np.sum((r - D @ np.linalg.lstsq(D, r)[0]) ** 2)) for D in designs]

likelihood = np.array([gaussian_log_likelihood(s, len(r), 1 / 16) for s in sse])
evidence = bayesian_model_selection(designs, r, precision=1.0, noise=1 / 16).log_evidence
known = np.array([bic(value, k + 1, len(r), convention="log") for k, value in zip(degrees, likelihood)])
estimated = np.array(
    [bic(gaussian_log_likelihood(s, len(r)), k + 2, len(r), convention="log") for k, s in zip(degrees, sse)]
)

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
curves = {"log likelihood": likelihood, "log evidence": evidence, "BIC, noise known": known}
for k, (name, values) in enumerate(curves.items()):
    ax.plot(degrees, values, "o-", color=class_colour(k), lw=1.6, ms=4, label=name)
ax.plot(degrees, estimated, "s--", color="#5f6975", lw=1.2, ms=4, label="BIC, noise estimated")
ax.axvline(3, color="#dfe4ea", lw=6, zorder=0)
ax.set(xlabel="degree", ylabel="log probability, or criterion (larger is better)")
ax.legend(frameon=False, loc="lower right")
plt.show()
