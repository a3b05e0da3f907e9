"""The state of a fit in a file, from which a fit that was killed goes on as if nothing had happened."""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.csr import csr_arrays
from assay.errors import DataError, ParameterError
from assay.tables.whole_files import write_whole
from assay.types import PathLike

__all__ = ["Checkpoint", "State", "fingerprint"]

SECONDS_BETWEEN = 5.0  # writings of a file, so that short passes do not wait for the disk
FORMAT = 1  # of the file


@dataclass
class State:
    """What a file holds: arrays, and numbers, texts and lists of such, by name."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    plain: dict[str, Any] = field(default_factory=dict)


class Checkpoint:
    """A file with the state of a fit, written every few seconds and removed when the fit ends by itself.

    The file holds arrays and JSON: reading it runs no code. It belongs to one learner, its parameters and its rows, of
    which it keeps a fingerprint; for any other it is refused.

    Parameters
    ----------
    path : of the file, or None for no file at all
    who : name of the learner, for the messages
    mark : fingerprint of the parameters and the rows

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from assay.neural.checkpoint import Checkpoint, State
    >>> path = os.path.join(tempfile.mkdtemp(), "run.npz")
    >>> file = Checkpoint(path, "example", "mark")
    >>> file.read() is None
    True
    >>> file.write(State({"theta": np.array([0.5])}, {"pass": 3}), at_once=True)
    >>> file.read().plain["pass"], file.read().arrays["theta"]
    (3, array([0.5]))
    >>> file.remove()
    >>> os.path.exists(path)
    False
    """

    def __init__(self, path: PathLike | None, who: str, mark: str):
        self.path, self.who, self.mark = None if path is None else Path(path), who, mark
        self._written = time.monotonic()
        if self.path is not None and (self.path.is_dir() or not self.path.parent.is_dir()):
            raise ParameterError(f"{who}: checkpoint must be a file in a folder that exists, got {path!s}.")

    def __bool__(self) -> bool:
        return self.path is not None

    def read(self) -> State | None:
        """The state that a killed fit left; None where there is no file."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            plain = json.loads(str(arrays.pop("plain")[()]))
            mark, version = plain.pop("mark"), plain.pop("format")
        except Exception:
            raise DataError(
                f"{self.who}: {self.path} is no checkpoint. Give another path, or delete the file."
            ) from None
        if version != FORMAT or mark != self.mark:
            raise DataError(
                f"{self.who}: {self.path} is the checkpoint of other rows, other parameters or another version. Give "
                "another path, or delete the file to begin anew."
            )
        return State(arrays, plain)

    def write(self, state: State, at_once: bool = False) -> None:
        """Put a state in place of the one before, unless that is younger than a few seconds."""
        if self.path is None or (not at_once and time.monotonic() - self._written < SECONDS_BETWEEN):
            return
        plain = json.dumps({**state.plain, "mark": self.mark, "format": FORMAT})
        content = io.BytesIO()
        np.savez(content, plain=np.array(plain), **state.arrays)  # type: ignore[arg-type]
        write_whole(self.path, content.getvalue())
        self._written = time.monotonic()

    def remove(self) -> None:
        """The fit is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def fingerprint(parameters: Mapping[str, Any], *arrays: Any) -> str:
    """A text that differs for other parameters or rows.

    Parameters
    ----------
    parameters : by name; a function counts by its name, a generator of numbers not at all
    arrays : dense or sparse, or None

    >>> import numpy as np
    >>> from assay.neural.checkpoint import fingerprint
    >>> X = np.eye(2)
    >>> fingerprint({"alpha": 1}, X) == fingerprint({"alpha": 1}, X.copy())
    True
    >>> fingerprint({"alpha": 1}, X) == fingerprint({"alpha": 1}, 2 * X)
    False
    """
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(parameters):
        digest.update(f"{name}={_text(parameters[name])};".encode())
    for array in arrays:
        if array is None:
            parts: tuple[Any, ...] = ()
        else:
            parts = (array,) if isinstance(array, np.ndarray) else csr_arrays(array)
        digest.update(f"{len(parts)};".encode())
        for part in parts:
            digest.update(f"{part.shape}{part.dtype};".encode())
            digest.update(np.ascontiguousarray(part).view(np.uint8).reshape(-1).data)
    return digest.hexdigest()


def _text(value: Any) -> str:
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        return "generator"
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    return repr(value)
