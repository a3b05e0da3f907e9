"""``assay associate FILE``: association rules of a table or of baskets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.data import built_in_with, data_argument
from assay.cli.reading import Reading, is_file, table_options
from assay.cli.words import counted
from assay.errors import DataError, ParameterError, ReadError, did_you_mean

FILE_FORM_NAMES = ("flags", "slots", "attributes", "mixed", "lines")
MAX_NAME_LENGTH = 200  # characters of an item's name in the table
WRITTEN_MEASURES = ("support", "confidence", "lift", "leverage", "conviction", "p", "p_adjusted")
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Association rules</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; }
body { max-width: 80em; margin: 2em auto; padding: 0 1.5em; font: 15px/1.5 system-ui, sans-serif; overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { padding: .25em 1.4em .25em 0; text-align: right; border-bottom: 1px solid #8884; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
th { font-size: .87em; opacity: .7; }
</style>
"""


@click.command("associate")
@data_argument
@click.option("--basket", metavar="COLUMN", help="Of a long table: the column that says which basket.")
@click.option("--item", metavar="COLUMN", help="Of a long table: the column that says which item.")
@click.option(
    "--form",
    type=click.Choice(["auto", *FILE_FORM_NAMES]),
    default="auto",
    show_default=True,
    help="How the file holds baskets: flags (a column for each item), slots (names of items in the columns), "
    "attributes (items are COLUMN = VALUE), mixed (flags, other columns as attributes), lines (a basket on each line).",
)
@click.option("--attributes", is_flag=True, help="The same as --form attributes.")
@click.option(
    "--cuts",
    type=click.IntRange(min=2),
    help="With --attributes: number of intervals into which each numeric column is cut.",
)
@click.option(
    "--min-support",
    "-s",
    default=0.01,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True),
    help="Minimum support: the share of the baskets that hold both sides.",
)
@click.option(
    "--min-confidence",
    "-c",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Minimum confidence: the share of the baskets with the left side that also hold the right one.",
)
@click.option(
    "--min-lift",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Minimum lift; 1 leaves out negative associations.",
)
@click.option("--max-size", type=click.IntRange(min=2), help="Maximum number of items in a rule.")
@click.option(
    "--then",
    "consequent",
    multiple=True,
    metavar="ITEM",
    help="Only rules with this item as consequent; repeatable.",
)
@click.option(
    "--significant",
    is_flag=True,
    help="Only rules significant at 0.05 by Fisher's exact test, Holm-adjusted.",
)
@click.option(
    "--productive",
    is_flag=True,
    help="Only productive rules: each item of the antecedent improves the rule, by the same test.",
)
@click.option("--irredundant", is_flag=True, help="Drop rules that are no better than a more general one.")
@click.option("--sort", "by", default="confidence", show_default=True, help="The measure that ranks rules.")
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="How many to print.")
@click.option("--words", is_flag=True, help="Print sentences instead of a table.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), help="Write all rules: .csv, .json or .html."
)
@table_options
def command(
    data: str,
    basket: str | None,
    item: str | None,
    form: str,
    attributes: bool,
    cuts: int | None,
    min_support: float,
    min_confidence: float,
    min_lift: float,
    max_size: int | None,
    consequent: tuple[str, ...],
    significant: bool,
    productive: bool,
    irredundant: bool,
    by: str,
    top: int,
    words: bool,
    output: str | None,
    reading: Reading,
) -> None:
    """Mine frequent item sets and association rules.

    FILE has one row for each item of a basket, with --basket and --item; or one row for each basket, with a column
    for each item (yes or no, 1 or 0), with names of items in its columns, or with attributes; or one basket on each
    line, its items separated by commas. The form is detected from the file; --form overrides it.
    """
    from assay.associations import MEASURES, association_rules, frequent_sets

    if by not in MEASURES:
        raise click.BadParameter(
            f"there is no measure {by}.{did_you_mean(by, MEASURES)}", param_hint="--sort"
        )
    _check_output(output, data)
    try:
        baskets, form = _baskets(data, basket, item, "attributes" if attributes else form, cuts, reading)
        sets = frequent_sets(baskets, float(min_support), max_size=max_size)
        rules = association_rules(sets, min_confidence, min_lift=min_lift, consequent=consequent or None)
    except (DataError, ParameterError) as error:
        if error.code not in REMEDIES:
            raise
        raise type(error)(error.what, remedy=REMEDIES[error.code], code=error.code) from None
    n_rules = len(rules)
    rules = rules.significant() if significant else rules
    rules = rules.productive() if productive else rules
    rules = (rules.irredundant() if irredundant else rules).sorted(by)
    omitted = f", {counted(n_rules - len(rules), 'rule')} left out" if n_rules > len(rules) else ""
    click.echo(
        f"{counted(baskets.n, 'basket')} of {counted(len(baskets.items), 'item')}: "
        f"{counted(len(sets), 'frequent set')}, {counted(len(rules), 'rule')}{omitted}"
    )
    printed = rules[:top]
    if len(printed) and words:
        click.echo("\n".join(printed.sentences(*(("rows", "have", "that") if form == "attributes" else ()))))
    elif len(printed):
        click.echo("\n".join(_table(printed, by)))
    if len(rules) > top:
        click.echo(f"... and {len(rules) - top:,} more; --top or -o shows them.")
    if output:
        _write(rules, output)
        click.echo(f"All rules are in {output}.")


REMEDIES = {  # of errors whose advice is for Python
    "table-of-attributes": "A long table needs --basket and --item, a table of attributes --attributes.",
    "uncut-numbers": "Discretise them: --cuts 4.",
    "too-many-sets": "Raise --min-support, or set --max-size.",
    "too-many-rules": "Raise --min-confidence or --min-support, or name a consequent with --then.",
}


def _baskets(
    data: str, basket: str | None, item: str | None, form: str, cuts: int | None, reading: Reading
) -> tuple[Any, str]:
    """The baskets of a file or of a built-in data set, and their form; a note names a form that was guessed."""
    from assay.associations import Baskets
    from assay.associations.basket_files import FILE_FORMS, read_baskets
    from assay.associations.wide_forms import wide_form

    if (basket is None) != (item is None):
        raise click.UsageError("A long table needs both, --basket and --item; a wide one needs neither.")
    if form != "auto" and basket is not None:
        raise click.UsageError(
            f"--form {form} is for tables with one row for each basket, which have no --basket."
        )
    if cuts is not None and form != "attributes":
        raise click.UsageError("--cuts goes with --attributes.")
    if is_file(data):
        reading = replace(reading, drop=(*reading.drop, *reading.keep))
        try:
            baskets, detected = read_baskets(data, basket, item, form, cuts, **reading.options())
        except ReadError as error:
            if form == "auto" and error.code == "ragged-line":
                raise error.with_remedy("If each line is a basket: --form lines.") from None
            raise
    else:
        built_in = built_in_with(data, reading)
        if form == "auto" and built_in.y is not None:
            raise click.UsageError(f"{data} is a table of attributes; add --attributes.")
        detected = wide_form(built_in.X) if form == "auto" else form
        if detected == "attributes":  # the target is one more attribute
            baskets = Baskets.from_table(built_in.frame("pyarrow"), cuts)
        elif detected == "lines":
            raise click.UsageError(f"{data} is a table; --form lines is for text files.")
        else:
            baskets = Baskets.from_wide(built_in.X, form=detected)
    if form == "auto" and detected not in ("flags", "long"):
        alternatives = ", ".join(name for name in FILE_FORM_NAMES if name != detected)
        click.echo(
            f"Note: read as {detected}: {FILE_FORMS[detected]}. "
            f"If it is not: --form {alternatives}, or --basket and --item.",
            err=True,
        )
    return baskets, detected


def _table(rules: Any, by: str) -> list[str]:
    """The rules as aligned text, with the measure that ranks them."""
    names = list(dict.fromkeys(["support", "confidence", "lift", by]))
    columns = [rules.measure(name) for name in names]
    cells = [[f"{column[i]:.4g}" for column in columns] for i in range(len(rules))]
    wide = [max(len(name), *(len(row[j]) for row in cells)) for j, name in enumerate(names)]
    lines = ["  " + "  ".join([*(name.rjust(w) for name, w in zip(names, wide)), "rule"])]
    for i, row in enumerate(cells):
        lines.append(
            "  " + "  ".join([*(value.rjust(w) for value, w in zip(row, wide)), _in_words(rules, i)])
        )
    return lines


def _in_words(rules: Any, i: int) -> str:
    """A rule in one line, both of its sides whole; only a very long name of an item is cut."""
    from assay.core.words import one_line

    return " -> ".join(", ".join(one_line(name, MAX_NAME_LENGTH) for name in side) for side in rules.sides(i))


def _check_output(output: str | None, data: str) -> None:
    """Said before the work, not after it."""
    from assay.cli.output import check_output

    if output is None:
        return
    if Path(output).suffix.lower() not in (".csv", ".json", ".html"):
        raise click.BadParameter(f"{output} should end in .csv, .json or .html", param_hint="--output")
    check_output(output, "--output", data)


def _write(rules: Any, output: str) -> None:
    from assay.tables.whole_files import whole_file, write_whole

    kind = Path(output).suffix.lower()
    names = [name for name in WRITTEN_MEASURES if not name.startswith("p") or float(rules.n).is_integer()]
    if kind == ".json":
        write_whole(output, rules.to_json(indent=1, measures=names))
    elif kind == ".html":
        write_whole(output, PAGE + rules.to_html(names))
    else:
        import csv

        from assay.associations.rule_forms import columns_of

        values = columns_of(rules, names)
        with whole_file(output) as file:
            writer = csv.writer(file)
            writer.writerow(["antecedent", "consequent", "count", *names])
            for i in range(len(rules)):
                sides = ("; ".join(map(str, side)) for side in rules.sides(i))
                writer.writerow([*sides, rules.xy[i].item(), *(repr(float(v[i])) for v in values.values())])
