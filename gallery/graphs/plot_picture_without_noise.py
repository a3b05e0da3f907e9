"""
A picture without its noise, and a covered part filled in
=========================================================

Each pixel of a field likes to be as its neighbours are, and as it was observed. A tenth of the pixels is flipped;
visiting
pixels one by one (ICM), or passing messages between them, takes most of the noise away, and fills in what was covered.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.graphs import denoise

picture = np.zeros((40, 40), int)
for depth, k in enumerate(range(0, 20, 7)):
    picture[k : 40 - k, k : 40 - k] = depth % 2
rng = np.random.default_rng(0)
noisy = np.where(rng.random(picture.shape) < 0.1, 1 - picture, picture)
covered = np.zeros(picture.shape, bool)
covered[4:11, 22:30] = True

shown = {
    "the picture": picture,
    "a tenth flipped, a part covered": np.where(covered, 0.5, noisy),
    "ICM": denoise(noisy, covered=covered),
    "sum-product": denoise(noisy, covered=covered, method="sum-product"),
}
figure, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
for axis, (title, image) in zip(axes, shown.items()):
    axis.imshow(image, cmap="gray_r", vmin=0, vmax=1)
    wrong = (image != picture).mean()
    axis.set_title(f"{title}\n{wrong:.1%} wrong", fontsize=10)
    axis.set(xticks=[], yticks=[])
plt.show()
