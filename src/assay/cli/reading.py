"""How a command reads its table: the options that all commands share."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

__all__ = ["FILES", "Reading", "is_file", "table_options"]

FILES = "CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel; plain, or packed with gzip, bzip2, xz or zip"
FORMATS = ("csv", "parquet", "arff", "libsvm", "jsonl", "feather", "excel")


@dataclass(frozen=True)
class Reading:
    """What the shared options say about a table.

    Parameters
    ----------
    drop, keep : columns that are not features; those of ``keep`` are copied into the predictions
    nominal, numeric : columns whose kind the user sets
    clean : columns whose text is turned into the numbers, dates or categories that it means; "all" for all of them
    na : further marks of missing values
    delimiter, encoding, format : how a file is written, where its name and its bytes do not say so

    Examples
    --------
    >>> from assay.cli.reading import Reading
    >>> Reading(drop=("id",), na=("unknown",)).options()
    {'drop': ('id',), 'na': ('unknown',)}
    """

    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    clean: tuple[str, ...] = ()
    na: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    format: str | None = None

    def options(self) -> dict[str, Any]:
        """The options as ``read_table`` takes them: those that were given; kept columns are not dropped yet."""
        names = ("drop", "nominal", "numeric", "na", "delimiter", "encoding", "format")
        options = {name: getattr(self, name) for name in names if getattr(self, name)}
        return options | ({"clean": self.clean == ("all",) or self.clean} if self.clean else {})

    def about_files(self) -> list[str]:
        """The options given that have a meaning for files alone."""
        names = ("clean", "na", "delimiter", "encoding", "format")
        return [f"--{name}" for name in names if getattr(self, name)]


def table_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the shared options; it gets them as one argument, ``reading``."""

    @functools.wraps(function)
    def with_reading(*args: Any, **arguments: Any) -> Any:
        reading = Reading(**{name: arguments.pop(name) for name in Reading.__dataclass_fields__})
        return function(*args, reading=reading, **arguments)

    for option in reversed(_OPTIONS):
        with_reading = option(with_reading)
    return with_reading


def is_file(name: str) -> bool:
    """Whether a table comes from a file or from standard input, rather than from a built-in data set."""
    return name == "-" or Path(name).exists()


def _listed(ctx: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Names by comma or repeated; a name with a comma in it stands between double quotes."""
    names = [name.strip() for row in csv.reader(values, skipinitialspace=True) for name in row]
    return tuple(dict.fromkeys(name for name in names if name))


def _delimiter(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    return {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}.get(value or "", value)


def _columns(name: str, text: str) -> Any:
    from assay.cli.completion import complete_columns

    return click.option(
        f"--{name}",
        multiple=True,
        metavar="COLUMNS",
        callback=_listed,
        shell_complete=complete_columns,
        help=text,
    )


_OPTIONS = [
    _columns("drop", "Columns to leave out, separated by commas; repeatable."),
    _columns(
        "keep",
        "Columns that identify rows: not features; predict copies them into its output.",
    ),
    _columns(
        "nominal", "Columns that hold categories, even if they look like numbers (codes, years, classes)."
    ),
    _columns("numeric", "Columns that hold numbers; other cells are an error."),
    _columns(
        "clean",
        "Columns whose text means numbers, dates or categories ($1,200.50, 51.7%, Yes and yes), to be converted; all "
        "looks at all of them.",
    ),
    click.option(
        "--na",
        multiple=True,
        metavar="MARKS",
        callback=_listed,
        help="Further marks of missing values, such as unknown,-999; repeatable.",
    ),
    click.option(
        "--delimiter", callback=_delimiter, help="What separates the cells of a text file, such as ; or tab."
    ),
    click.option("--encoding", help="The encoding of a text file, such as latin-1."),
    click.option(
        "--format",
        type=click.Choice(FORMATS),
        help="What FILE is, if neither its name nor its first bytes say so (standard input).",
    ),
]
