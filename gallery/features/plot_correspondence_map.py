"""
Smoking habits in a firm
========================

Correspondence analysis puts the rows and the columns of a table of counts into one map. Five groups of employees by how
much they smoke: the first axis orders the habits from none to heavy, and shows 88% of what the table has to say. Senior
employees lie on the side of those who do not smoke.
"""

import matplotlib.pyplot as plt
import pandas as pd

from assay.plots import CorrespondenceDisplay
from assay.reduce import CorrespondenceAnalysis

staff = pd.DataFrame(
    [[4, 2, 3, 2], [4, 3, 7, 4], [25, 10, 12, 4], [18, 24, 33, 13], [10, 6, 7, 2]],
    columns=["none", "light", "medium", "heavy"],
    index=["senior managers", "junior managers", "senior employees", "junior employees", "secretaries"],
)
analysis = CorrespondenceAnalysis().fit(staff)
display = CorrespondenceDisplay.from_estimator(analysis, staff, row_names=staff.index)
plt.show()
