"""Models as data: a file that is safe to open and opens in later versions.

A model file is a safetensors file: the arrays of the model, and a manifest of plain JSON that says how they
hang together. It holds numbers and text and no code. A class is looked up in Assay's own fixed registry, an
attribute must be one that the class has, and what does not fit is refused, so a file from a stranger can be
wrong, but it cannot do anything. Every format version that was ever released stays readable.

- :mod:`~assay.core.persistence.container`: the file, its limits and its digest;
- :mod:`~assay.core.persistence.values`: the table of what a value looks like in it;
- :mod:`~assay.core.persistence.writer`, :mod:`~assay.core.persistence.reader`: to there, and back;
- :mod:`~assay.core.persistence.registry`, :mod:`~assay.core.persistence.checks`: the classes that a file may
  speak of, and whether what it says of them can be;
- :mod:`~assay.core.persistence.pipelines`: pipelines of scikit-learn that are made of our learners.
"""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Any

from assay.core.persistence import container
from assay.core.persistence.checks import answers
from assay.core.persistence.reader import Reader
from assay.core.persistence.registry import class_of, name_of
from assay.core.persistence.writer import Writer
from assay.errors import PersistenceError

__all__ = ["describe", "load", "save"]


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model, fitted or not, into a file that :func:`load` gives back bit for bit.

    The file appears whole or not at all, and the same model makes the same bytes. A model that holds code (a
    function) or objects of other libraries is refused, and the message says where they stand in it.

    Parameters
    ----------
    model : a learner of Assay, or one of its schemas, densities and the like; or a ``Pipeline`` or ``FeatureUnion`` of
        scikit-learn whose steps are learners of Assay
    path : where to write; an existing file is replaced

    Examples
    --------
    >>> import assay, tempfile, os
    >>> from assay.bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.assay")
    >>> assay.save(model, path)
    >>> assay.load(path).predict([[1.0], [5.0]])
    array(['a', 'b'], dtype='<U1')
    """
    who = type(model).__name__
    if name_of(type(model)) is None:
        sentence = (
            f"save: a {type(model).__module__}.{type(model).__qualname__} was given; only Assay's own learners, "
            "and pipelines of them, can be saved as data. For others use the tools of their library."
        )
        if (chosen := getattr(model, "best_estimator_", None)) is not None:
            sentence += (
                f" Or save the {type(chosen).__name__} that it chose: save(model.best_estimator_, path)."
            )
        raise PersistenceError(sentence)
    writer = Writer(who)
    node = writer.node(model)
    manifest = {"written_by": _written_by(), "answers": answers(model), "model": node}
    container.write(path, manifest, writer.tensors)


def load(path: str | os.PathLike[str]) -> Any:
    """The model of a file that :func:`save` wrote.

    A file that is damaged, newer than this Assay, or none of ours raises a ``PersistenceError``.

    >>> import pathlib, tempfile
    >>> from assay import load, save
    >>> from assay.bayes import GaussianNB
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.assay"
    >>> save(GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"]), path)
    >>> load(path).predict([[1.0], [5.0]]).tolist()
    ['a', 'b']
    """
    manifest, tensors = container.read(path)
    try:
        _check_manifest(manifest)
        model = Reader(tensors).model(manifest["model"])
        if manifest["answers"] and not answers(model):
            raise PersistenceError("Its parts do not fit together: it cannot answer for a single row.")
    except (PersistenceError, RecursionError, MemoryError, ArithmeticError, LookupError) as error:
        raise _refused(path, error) from error
    except (AttributeError, TypeError, ValueError) as error:  # NumPy and SciPy on parts that do not fit
        raise _refused(path, error) from error
    return model


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a model file holds, read from its manifest without loading its arrays.

    Returns
    -------
    dict with ``learner`` (the class name), ``format``, ``written_by`` (name to version), ``parameters``,
    ``columns`` (name to kind; empty if the model is not fitted), ``arrays`` (name to type and shape), ``bytes``

    Examples
    --------
    >>> import assay, tempfile, os
    >>> from assay.bayes import GaussianNB
    >>> from assay.core.persistence import describe
    >>> path = os.path.join(tempfile.mkdtemp(), "model.assay")
    >>> assay.save(GaussianNB(var_smoothing=0.1).fit([[0.0], [2.0]], [0, 1]), path)
    >>> content = describe(path)
    >>> content["learner"], content["parameters"], content["columns"]
    ('GaussianNB', {'priors': None, 'var_smoothing': 0.1}, {'x0': 'numeric'})
    """
    manifest, tensors = container.read_manifest(path)
    try:
        _check_manifest(manifest)
        state = manifest["model"]["state"]
        cls = class_of(manifest["model"]["class"])
        columns = state["schema_"]["state"]["columns"]["items"] if "schema_" in state else []
        return {
            "learner": cls.__name__,
            "format": container.VERSION,
            "written_by": dict(manifest["written_by"]),
            "parameters": {
                k: _parameter_value(v)
                for k, v in state.items()
                if not k.endswith("_") and not k.startswith("_")
            },
            "columns": {str(c["state"]["name"]): str(c["state"]["kind"]) for c in columns},
            "arrays": {name: f"{dtype} {shape}" for name, (dtype, shape) in tensors.items()},
            "bytes": os.path.getsize(path),
        }
    except (PersistenceError, RecursionError, LookupError, AttributeError, TypeError, ValueError) as error:
        raise _refused(path, error) from error


def _parameter_value(node: Any) -> Any:
    """A parameter's value; where arrays are part of it, a word for what it is."""
    try:
        return Reader({}).value(node)
    except PersistenceError:
        return f"({node.get('is', 'unknown')})" if isinstance(node, dict) else "(list)"


def _written_by() -> dict[str, str]:
    import assay

    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"assay": assay.__version__, "python": platform.python_version(), **libraries}


def _check_manifest(manifest: dict[str, Any]) -> None:
    if set(manifest) != {"written_by", "answers", "model"} or type(manifest["answers"]) is not bool:
        raise PersistenceError(f"Its manifest has the keys {sorted(manifest)}."[:300])
    made = manifest["written_by"]
    if not isinstance(made, dict) or not all(isinstance(v, str) for v in made.values()):
        raise PersistenceError("It does not say what wrote it.")


def _refused(path: str | os.PathLike[str], error: BaseException) -> PersistenceError:
    why = str(error) if isinstance(error, PersistenceError) else f"Its parts do not fit together ({error})."
    return PersistenceError(
        f"{os.fspath(path)!r} was not loaded. {why[:400]} Use a file that assay.save wrote, from someone you know."
    )
