"""
Different enough to vote
========================

Four classifiers on the Wisconsin breast cancer table. Each point is a pair of them: how much their answers agree beyond
chance, and how often they err on average. Pairs low and to the left gain most by voting together.
"""

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from assay.bayes import GaussianNB, LinearDiscriminantAnalysis
from assay.ensembles import VotingClassifier, diversity
from assay.neighbors import KNeighborsClassifier
from assay.plots import KappaErrorDisplay
from assay.prepare import Prepared
from assay.tables.data import load_breast_cancer
from assay.trees import C45Classifier

data = load_breast_cancer()
X, y = data.X, np.asarray(data.y)
members = {
    "bayes": GaussianNB(),
    "lda": LinearDiscriminantAnalysis(),
    "5-nn": Prepared(KNeighborsClassifier(5)),
    "c45": C45Classifier(),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
answers = np.stack([cross_val_predict(model, X, y, cv=folds) for model in members.values()])
found = diversity(answers, y, names=list(members))
KappaErrorDisplay(found).plot()

# %%
# The vote of three that differ, and what it is worth beside the best of them.
chosen = ["lda", "5-nn", "c45"]
vote = VotingClassifier([(name, members[name]) for name in chosen])
error = np.mean(cross_val_predict(vote, X, y, cv=folds) != y)
print(
    f"vote {error:.3f}, members",
    {name: round(float(found.errors[list(members).index(name)]), 3) for name in chosen},
)
