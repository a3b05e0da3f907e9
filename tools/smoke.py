"""Use an installed Assay as a stranger would; run outside the source tree."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import assay
from assay.bayes import GaussianNB

assert "site-packages" in assay.__file__, f"imported from {assay.__file__}, not from the installed wheel"

rng = np.random.default_rng(0)
y = np.repeat(["a", "b"], 50)
X = rng.normal(size=(100, 3)) + 3 * (y == "b")[:, None]
model = GaussianNB().fit(X, y)
assert model.score(X, y) > 0.9

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "model.assay"
    assay.save(model, path)
    assert (assay.load(path).predict_proba(X) == model.predict_proba(X)).all()
    command = pathlib.Path(sys.executable).with_name("assay")
    compare = [command, "compare", "weather", "--design", "5-fold", "--report", "weather.html"]
    shown = subprocess.run(compare, capture_output=True, text=True, check=True, cwd=folder)
    assert "naive bayes" in shown.stdout and "naive bayes" in (path.parent / "weather.html").read_text()
print(f"The wheel of Assay {assay.__version__} works outside the source tree.")
