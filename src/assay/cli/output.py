"""What commands write: tables by their ending, JSON, models; ``-`` is standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from assay.types import Estimator

__all__ = [
    "check_ending",
    "check_output",
    "columns_file",
    "echo_json",
    "load_model",
    "numbers_for",
    "save_model",
    "unique_name",
    "write_columns",
]

NUMBER_FORMAT = ".6g"  # digits of a number in text


def check_output(path: str | None, option: str, *read: str) -> None:
    """Refuse an output path in a missing folder, or of a file that is read, before the work, not after it."""
    if path is None or path == "-":
        return
    place = Path(path).absolute()
    if not place.parent.is_dir():
        raise click.BadParameter(f"there is no folder {Path(path).parent}", param_hint=option)
    for name in read:
        if place.is_file() and name != "-" and Path(name).is_file() and place.samefile(name):
            raise click.BadParameter(
                f"{path} is read; give another name, or it would be lost", param_hint=option
            )


def check_ending(path: str | None, option: str) -> None:
    """Refuse a path whose ending names no format that tables are written in, before the work."""
    from assay.errors import ParameterError
    from assay.tables.writers import ending

    if path is None or path == "-" or _device(path):
        return
    try:
        ending(path)
    except ParameterError as error:
        raise click.BadParameter(f"{error.what} {error.remedy}", param_hint=option) from None


def write_columns(columns: dict[str, Any], path: str | None) -> None:
    """Columns as a table in the format of the path's ending; CSV on standard output and to devices."""
    from assay.tables.writers import write_csv, write_table

    (write_csv if path is not None and _device(path) else write_table)(columns, path or "-")


@contextmanager
def columns_file(path: str | None) -> Iterator[Callable[[dict[str, Any]], None]]:
    """The same block by block: yields a function that takes the columns of the next rows."""
    from assay.tables.writers import table_file

    with table_file(path or "-", "csv" if path is not None and _device(path) else None) as write:
        yield write


def _device(path: str) -> bool:
    """Whether a path is there, but is no file and no folder: /dev/stdout, a named pipe."""
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


def echo_json(value: Any) -> None:
    """One JSON document on standard output; NaN is null."""
    import json

    from assay.evaluate.records import plain

    click.echo(json.dumps(plain(value), indent=2, ensure_ascii=False))


def load_model(path: str) -> Any:
    """The model of a file, or of standard input."""
    from assay import load

    if path != "-":
        return load(path)
    from assay.tables.readers.origin import Origin

    origin = Origin.of("-")  # holds the file until the model is read
    return load(origin.path)


def save_model(model: Estimator, path: str) -> None:
    """A model in a file, or on standard output."""
    from assay import save

    if path != "-":
        save(model, path)
        return
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "model.assay"
        save(model, place)
        sys.stdout.buffer.write(place.read_bytes())
        sys.stdout.buffer.flush()


def numbers_for(path: str | None, values: Any) -> list[float]:
    """Numbers as a file of this kind gets them: text with six digits, others as they are."""
    exact = (path or "").lower().endswith((".parquet", ".pq", ".feather", ".arrow", ".jsonl", ".ndjson"))
    return values.tolist() if exact else [float(f"{value:{NUMBER_FORMAT}}") for value in values.tolist()]


def unique_name(name: str, existing: Any) -> str:
    """The name, or the name with a number so that it differs from the existing ones.

    >>> from assay.cli.output import unique_name
    >>> unique_name("reason", {"age"}), unique_name("reason", {"reason", "reason_2"})
    ('reason', 'reason_3')
    """
    number, free = 2, name
    while free in existing:
        number, free = number + 1, f"{name}_{number}"
    return free
