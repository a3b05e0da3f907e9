"""
Strings that share substrings
=============================

Three families of strings over four letters: each begins from a motif of its own, written at a random place of a random
string, with one letter in eight drawn anew. The motifs have the same letters in another order. There are no columns; a
kernel counts what two strings share. Left: the matrix of the normalised 4-spectrum kernel, families one after the
other. Middle: the strings along the two directions in which they differ most in the space of that kernel's features.
Right: accuracy of a support vector machine by cross-validation, by the length of what is shared. Letters alone say
nothing, runs of six letters tell nearly all strings apart, and longer runs seldom survive a new letter; subsequences,
which may have gaps, still find them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

from assay.core.palette import class_colour
from assay.kernels import Spectrum, Subsequences
from assay.svm import SVC

rng = np.random.default_rng(3)
letters = np.array(list("acgt"))
motifs = [rng.permutation(np.repeat(letters, 3)) for _ in range(3)]  # the same letters in another order


def string(motif):
    """A random string with a damaged copy of the motif somewhere."""
    text = rng.choice(letters, 40)
    at = rng.integers(0, 40 - len(motif))
    text[at : at + len(motif)] = np.where(
        rng.random(len(motif)) < 1 / 8, rng.choice(letters, len(motif)), motif
    )
    return "".join(text)


family = np.repeat(np.arange(3), 30)
strings = [string(motifs[k]) for k in family]

K = Spectrum(4).normalized()(strings)
centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
values, vectors = np.linalg.eigh(centred)
axes_of_strings = vectors[:, [-1, -2]] * np.sqrt(values[[-1, -2]])

lengths = [1, 2, 3, 4, 6, 8, 10]
accuracy = {
    name: [
        cross_val_score(SVC(kernel=kernel(p).normalized(), C=10.0), strings, family, cv=5).mean()
        for p in lengths
    ]
    for name, kernel in {
        "substrings": Spectrum,
        "subsequences with gaps": lambda p: Subsequences(p, decay=0.4),
    }.items()
}

figure, axes = plt.subplots(1, 3, figsize=(14.5, 4.6), layout="constrained")
image = axes[0].imshow(np.where(np.eye(len(K), dtype=bool), np.nan, K), cmap="viridis")
axes[0].set(title="4-spectrum kernel", xlabel="string", ylabel="string")
figure.colorbar(image, ax=axes[0], shrink=0.85)
for k in range(3):
    label = "".join(motifs[k])
    axes[1].scatter(*axes_of_strings[family == k].T, color=class_colour(k), label=label, alpha=0.8)
axes[1].set(title="two directions in feature space", xlabel="first", ylabel="second")
axes[1].legend(title="motif")
for name, style in (("substrings", "o-"), ("subsequences with gaps", "s--")):
    axes[2].plot(lengths, accuracy[name], style, label=name)
axes[2].axhline(1 / 3, color="#8a939e", lw=1, ls=":")
axes[2].set(title="accuracy, five folds", xlabel="length of what is shared", ylim=(0, 1.02))
axes[2].legend(loc="lower right")
