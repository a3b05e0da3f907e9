"""
Are the classes normal, with one covariance?
============================================

A scatter-plot matrix of the irises beside the tests: each class by itself passes as normal by Henze and Zirkler's test
or nearly so, all together do not, and Box's M rejects one covariance for all three.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from assay.plots import ScatterMatrixDisplay
from assay.stats import box_m, henze_zirkler

data = load_iris(as_frame=True)
names = data.target_names[data.target]
display = ScatterMatrixDisplay.from_data(data.data, names)
p_normal = {name: henze_zirkler(data.data.values[names == name]).p for name in data.target_names}
p_all = henze_zirkler(data.data.values).p
p_equal = box_m(data.data.values, names).p
display.figure_.suptitle(
    "normal, p: "
    + ", ".join(f"{name} {p:.2g}" for name, p in p_normal.items())
    + f"; all {p_all:.1g}\none covariance, p: {p_equal:.1g}",
    fontsize=9,
)
plt.show()
