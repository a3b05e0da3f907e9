"""The file itself: safetensors, with the manifest as its one entry of metadata.

The entry ``assay`` begins with a line of three words, the format's name, its version and a digest, and goes
on with the manifest, plain JSON. The digest (SHA-256 over the manifest and all tensors) tells a damaged
file from a sound one; it is no signature, so what a file says is checked all the same.

Sizes are looked at before memory is taken: the header against the file and a limit, and by safetensors
each tensor against its own shape and the file, without gaps or overlaps.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import PersistenceError
from assay.tables.whole_files import replacing

__all__ = ["FORMAT", "VERSION", "read", "read_manifest", "write"]

FORMAT = "assay-model"
VERSION = 1
HEADER_LIMIT = 32 << 20  # bytes of the safetensors header: the manifest and a line for each tensor
MANIFEST_LIMIT = 16 << 20  # bytes of the manifest; numbers and long lists of text are tensors, not manifest


def write(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], tensors: Mapping[str, np.ndarray]
) -> None:
    """Write all or nothing: a file beside it first, which then takes its place."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    text = json.dumps(manifest, separators=(",", ":"), allow_nan=False)
    if len(text) > MANIFEST_LIMIT:
        raise PersistenceError(
            f"The model's structure takes {len(text) >> 20} MB as text, more than the {MANIFEST_LIMIT >> 20} MB that "
            "a model file may have. Numbers belong in arrays."
        )
    entry = {"assay": f"{FORMAT} {VERSION} {_digest(text, tensors)}\n{text}"}
    try:
        with replacing(path) as beside:
            save_file(dict(tensors), beside, metadata=entry)
            with open(beside, "rb") as file:
                if int.from_bytes(file.read(8), "little") > HEADER_LIMIT:
                    raise PersistenceError("The model has too many arrays for a model file.")
    except (OSError, SafetensorError) as error:
        raise PersistenceError(
            f"Cannot write {os.fspath(path)!r}: {_reason(error)}. Check the folder, its permissions and the free space."
        ) from error


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The manifest and the tensors of a sound file."""
    from safetensors import SafetensorError, safe_open

    digest, text = _entry(path)
    try:
        with safe_open(path, framework="numpy") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, _reason(error)) from error
    if _digest(text, tensors) != digest:
        raise _damaged(path, "its content does not match its digest")
    return _manifest(path, text), tensors


def read_manifest(
    path: str | os.PathLike[str],
) -> tuple[dict[str, Any], dict[str, tuple[str, tuple[int, ...]]]]:
    """The manifest, and type and shape of each tensor; no array is loaded."""
    from safetensors import SafetensorError, safe_open

    _, text = _entry(path)
    try:
        with safe_open(path, framework="numpy") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            layout = {name: (s.get_dtype(), tuple(s.get_shape())) for name, s in slices.items()}
    except (OSError, SafetensorError) as error:
        raise _damaged(path, _reason(error)) from error
    return _manifest(path, text), layout


def _entry(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Digest and manifest text, after the checks that need no tensor."""
    from safetensors import SafetensorError, safe_open

    _check_sizes(path)
    try:
        with safe_open(path, framework="numpy") as file:
            entry = file.metadata()
    except (OSError, SafetensorError) as error:
        raise _damaged(path, _reason(error)) from error
    first, _, text = (entry or {}).get("assay", "").partition("\n")
    words = first.split(" ")
    if len(words) != 3 or words[0] != FORMAT or set(entry) != {"assay"}:
        raise PersistenceError(
            f"{os.fspath(path)!r} is a safetensors file, but not an Assay model. Give a file that assay.save wrote."
        )
    if not (words[1].isascii() and words[1].isdigit() and 0 < len(words[1]) < 6):
        raise _damaged(path, "its format version is not a number")
    if int(words[1]) > VERSION:
        raise PersistenceError(
            f"{os.fspath(path)!r} has format version {words[1]}, this Assay reads up to {VERSION}. "
            "It was written by a newer Assay: upgrade with pip install --upgrade assay."
        )
    if len(text) > MANIFEST_LIMIT:
        raise _damaged(path, f"its manifest is larger than {MANIFEST_LIMIT >> 20} MB")
    return words[2], text


def _check_sizes(path: str | os.PathLike[str]) -> None:
    """Refuse what is no file, and a header that the file or the limit cannot hold."""
    name = os.fspath(path)
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):  # a pipe would wait for ever
            raise PersistenceError(f"{name!r} is not a file. Give a file that assay.save wrote.")
        with open(path, "rb") as file:
            start = file.read(9)
    except FileNotFoundError as error:
        raise PersistenceError(f"There is no file {name!r}. Check the path.") from error
    except (OSError, ValueError) as error:
        raise PersistenceError(f"Cannot read {name!r}: {_reason(error)}.") from error
    header = int.from_bytes(start[:8], "little")
    if len(start) < 9 or start[8:] != b"{":
        raise PersistenceError(f"{name!r} is not an Assay model. Give a file that assay.save wrote.")
    if header > status.st_size - 8:
        raise _damaged(path, f"its header claims {header} bytes, the file has {status.st_size}")
    if header > HEADER_LIMIT:
        raise _damaged(path, f"its header is larger than {HEADER_LIMIT >> 20} MB")


def _manifest(path: str | os.PathLike[str], text: str) -> dict[str, Any]:
    try:
        manifest = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"its manifest is not the JSON expected ({_reason(error)})") from error
    if not isinstance(manifest, dict):
        raise _damaged(path, "its manifest is not an object")
    return manifest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError("a key occurs twice")
    return mapping


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number here")


def _digest(text: str, tensors: Mapping[str, np.ndarray]) -> str:
    """SHA-256 over the manifest and every tensor's name, type, shape and bytes."""
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for name in sorted(tensors):
        tensor = tensors[name]
        sha.update(f"\n{name!r} {tensor.dtype.str} {tensor.shape}\n".encode("utf-8", "surrogatepass"))
        if tensor.size:
            sha.update(np.ascontiguousarray(tensor).reshape(-1).view(np.uint8).data)
    return sha.hexdigest()


def _reason(error: BaseException) -> str:
    text = (
        getattr(error, "strerror", None) or str(error).splitlines()[0] if str(error) else type(error).__name__
    )
    return text.rstrip(".")[:200]


def _damaged(path: str | os.PathLike[str], why: str) -> PersistenceError:
    return PersistenceError(
        f"{os.fspath(path)!r} is damaged: {why}. Fetch or save the model again; nothing of it was loaded."
    )
