"""Pipelines and unions of scikit-learn whose steps are Assay's own learners: the only foreign classes in a file.

A pipeline is its constructor's parameters: named steps and a few settings. It is made anew from them, so a file can
give it nothing else, and every step was looked up in the registry before.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator

from assay.core.stored import Boolean, Each, Integer, Kind, Mapped, Plain, Scalar, Text
from assay.errors import PersistenceError

__all__ = ["class_of", "is_pipeline", "name_of", "rebuild", "state_of"]

# names in files, with the parameter that holds the steps and the words that may stand for one
STEPS = {
    "sklearn.Pipeline": ("steps", ("passthrough",)),
    "sklearn.FeatureUnion": ("transformer_list", ("passthrough", "drop")),
}
SETTINGS: dict[str, dict[str, Kind]] = {
    "sklearn.Pipeline": {
        "transform_input": Each(Text()) | None,
        "memory": Plain(type(None)),
        "verbose": Boolean(),
    },
    "sklearn.FeatureUnion": {
        "n_jobs": Integer(low=-(2**31), high=2**31) | None,
        "transformer_weights": Mapped(Scalar()) | None,
        "verbose": Boolean(),
        "verbose_feature_names_out": Boolean(),
    },
}


@functools.cache
def class_of(name: str) -> type | None:
    """The class that a name in a file stands for, None for other names."""
    if name not in STEPS:
        return None
    from sklearn import pipeline

    step: type = getattr(pipeline, name.rpartition(".")[2])
    return step


def name_of(cls: type) -> str | None:
    """The name that files use for a pipeline class, None for other classes.

    >>> from sklearn.pipeline import Pipeline
    >>> from assay.core.persistence.pipelines import name_of
    >>> name_of(Pipeline), name_of(dict)
    ('sklearn.Pipeline', None)
    """
    name = f"sklearn.{cls.__name__}"
    if cls.__module__ != "sklearn.pipeline" or class_of(name) is not cls:
        return None
    return name


def is_pipeline(value: Any) -> bool:
    """Whether a value is a pipeline or union that a file can hold."""
    return name_of(type(value)) is not None


def state_of(value: Any, where: str) -> dict[str, Any]:
    """The parameters of a pipeline; a step that is not Assay's own is refused by its name."""
    name = name_of(type(value)) or ""
    held, words = STEPS[name]
    state = value.get_params(deep=False)
    for setting, kind in SETTINGS[name].items():
        wrong = kind.fault(state[setting], {})
        if wrong:
            advice = (
                " Set it to None: a folder for caches belongs to one machine." if setting == "memory" else ""
            )
            raise PersistenceError(f"{where}.{setting} cannot be saved: it {wrong}.{advice}")
    state[held] = [(label, _plain_step(step)) for label, step in state[held]]
    for label, step in state[held]:
        if not _can_be_step(step, words):
            kind_of = f"{type(step).__module__}.{type(step).__qualname__}"
            raise PersistenceError(
                f"{where} cannot be saved: its step {label!r} is a {kind_of}, and a model file holds Assay's own "
                "learners alone. Use a learner of assay for this step, or the tools of that library."
            )
    config = vars(value).get("_sklearn_output_config")
    return state if config is None else {**state, "_sklearn_output_config": config}


def rebuild(cls: type, state: Mapping[str, Any]) -> Any:
    """The pipeline of these parameters, if it can be one."""
    name = name_of(cls) or ""
    held, words = STEPS[name]
    config = state.get("_sklearn_output_config", {})
    settings = {key: value for key, value in state.items() if key != "_sklearn_output_config"}
    if not {held} <= set(settings) <= {held, *SETTINGS[name]}:
        raise PersistenceError(f"It describes a {cls.__name__} by {sorted(settings)}."[:300])
    for setting, kind in SETTINGS[name].items():
        wrong = kind.fault(settings[setting], {}) if setting in settings else ""
        if wrong:
            raise PersistenceError(f"{cls.__name__}.{setting} {wrong}.")
    if Mapped(Text()).fault(config, {}):
        raise PersistenceError(f"{cls.__name__} has an output configuration that is none.")
    _check_steps(settings[held], words, cls.__name__)
    if cls.__name__ == "FeatureUnion":
        settings[held] = _fitted_steps(settings[held])
    value = cls(**settings)
    if config:
        value._sklearn_output_config = dict(config)
    return value


def _check_steps(steps: Any, words: tuple[str, ...], who: str) -> None:
    sound = isinstance(steps, list) and all(
        isinstance(step, tuple) and len(step) == 2 and isinstance(step[0], str) for step in steps
    )
    if not sound or not steps or len({label for label, _ in steps}) < len(steps):
        raise PersistenceError("its steps are not pairs of distinct names and learners.", who=who)
    for number, (label, step) in enumerate(steps):
        inner = who == "FeatureUnion" or number < len(steps) - 1
        able = isinstance(step, (str, type(None))) or not inner or hasattr(type(step), "transform")
        if not label or "__" in label or not _can_be_step(step, words) or not able:
            raise PersistenceError(f"its step {label[:80]!r} is none.", who=who)


def _can_be_step(step: Any, words: tuple[str, ...]) -> bool:
    from assay.core.persistence import registry

    if step is None or isinstance(step, str):
        return step is None or step in words
    return isinstance(step, BaseEstimator) and registry.name_of(type(step)) is not None


def _plain_step(step: Any) -> Any:
    """A fitted union holds a transformer that does nothing where "passthrough" was given."""
    from sklearn.preprocessing import FunctionTransformer

    same = FunctionTransformer(feature_names_out="one-to-one").get_params()
    return "passthrough" if type(step) is FunctionTransformer and step.get_params() == same else step


def _fitted_steps(steps: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The steps of a union as its fit leaves them: "passthrough" knows the columns that the others learned."""
    from sklearn.preprocessing import FunctionTransformer

    learned = next(
        (vars(step) for _, step in steps if "n_features_in_" in getattr(step, "__dict__", {})), None
    )
    if learned is None:
        return steps
    same = FunctionTransformer(feature_names_out="one-to-one")
    vars(same).update({k: learned[k] for k in ("n_features_in_", "feature_names_in_") if k in learned})
    return [
        (label, same if isinstance(step, str) and step == "passthrough" else step) for label, step in steps
    ]
