"""``assay cluster FILE``: groups of the rows of a table, how many there are, and what they are."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.data import data_argument, open_data, target_option
from assay.cli.reading import Reading, is_file, table_options
from assay.cli.words import counted, listed_names

METHODS = {
    "kmeans": "around means, for numbers",
    "prototypes": "around means and modes, for mixed tables with missing values",
    "ward": "by merging, small loss first",
    "average": "by merging, by the mean distance",
    "single": "by merging, nearest rows first",
    "genie": "along a spanning tree, sizes not too unequal",
    "spectral": "by a graph of similarities",
    "mixture": "Gaussians, also of numbers with missing values",
    "hdbscan": "where rows are dense; finds the number by itself",
}
NUMBERED_BY_ITSELF = ("hdbscan",)


@click.command("cluster", short_help="Groups of rows: how many there are, and what they are.")
@data_argument
@target_option
@click.option(
    "--k",
    "number",
    type=click.IntRange(1),
    help="How many groups. Default: as many as most rules name (elbow, silhouette, gap, BIC, dendrogram, stability).",
)
@click.option(
    "--method",
    type=click.Choice(tuple(METHODS)),
    help="How rows are grouped. Default: kmeans, or prototypes if there are categories or missing values. "
    + " ".join(f"{name}: {words}." for name, words in METHODS.items()),
)
@click.option(
    "--max-k",
    default=10,
    show_default=True,
    type=click.IntRange(2),
    help="The most groups that are tried without --k.",
)
@click.option(
    "--no-scale", is_flag=True, help="Leave numbers as they are; else each column gets deviation 1."
)
@click.option("--rules/--no-rules", default=True, help="Whether each group is described by a few rules.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="The same seed, the same groups."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    help="Write the table with a column of groups: .csv, .parquet, .jsonl ...; - is standard output.",
)
@click.option("--report", type=click.Path(dir_okay=False, writable=True), help="Write a page: .html.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@table_options
def command(
    data: str,
    target: str | None,
    number: int | None,
    method: str | None,
    max_k: int,
    no_scale: bool,
    rules: bool,
    seed: int,
    output: str | None,
    report: str | None,
    as_json: bool,
    reading: Reading,
) -> None:
    """Put the rows of a table into groups, and say how many there are and what they are.

    Each group is described by its size, its typical values and ranges, what sets it apart, its most typical row and a
    few rules. With --target that column takes no part, and the groups are compared with it.

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), - for standard input,
    or the name of a built-in data set.
    """
    from assay.cli.output import check_ending, check_output

    check_output(output, "--output", data)
    check_ending(output, "--output")
    check_output(report, "--report", data)
    if output == "-" and as_json:
        raise click.UsageError("--json and --output - cannot both be standard output.")
    if number is not None and method in NUMBERED_BY_ITSELF:
        raise click.BadParameter(
            f"--method {method} finds by itself how many groups there are", param_hint="--k"
        )
    dataset, table = _opened(data, target, reading)
    plain = table.complete and not table.schema.coded.any()
    method = method or ("kmeans" if plain else "prototypes")
    numbers = not table.schema.coded.any()
    if not table.complete and not (method == "prototypes" or (method == "mixture" and numbers)):
        others = "prototypes or mixture" if numbers else "prototypes"
        raise click.UsageError(
            f"--method {method} cannot use missing values. Use --method {others}, or --drop."
        )
    choice, number = _how_many(table, number, method, max_k, no_scale, seed)
    model, labels = _grouped(table, method, number, no_scale, seed)
    pictures = _pictures(table, model, labels, no_scale, seed) if report else ""
    _tell(dataset, table, labels, method, choice, rules, seed, output, report, pictures, as_json)


def _opened(data: str, target: str | None, reading: Reading) -> tuple[Any, Any]:
    """The table with all its columns, and that of the columns which can make groups; a note names the others."""
    from dataclasses import replace

    import numpy as np

    from assay.evaluate.oddities import is_identifier

    if not is_file(data):  # whose columns are known
        dataset = open_data(data, target, reading, need_target=False)
        return dataset, dataset.X
    dataset = open_data(data, target, replace(reading, keep=()), need_target=False)
    table = dataset.X
    names, d = table.schema.names, table.shape[1]
    for name in reading.keep:
        if name not in names:
            raise click.BadParameter(f"{dataset.name} has no column {name!r}", param_hint="--keep")
    kept = [j for j in range(d) if names[j] in reading.keep]
    if hasattr(table.values, "tocsr"):
        return dataset, table.select([j for j in range(d) if j not in kept]) if kept else table
    asked_for = {*reading.nominal, *reading.numeric}
    empty = [j for j in range(d) if j not in kept and np.isnan(table.values[:, j]).all()]
    labels = [j for j in range(d) if names[j] not in asked_for and j not in kept and is_identifier(table, j)]
    used = [j for j in range(d) if j not in {*kept, *empty, *labels}]
    if not used:
        if kept or len(empty) == d:
            raise click.UsageError(f"{dataset.name} has no column with values to make groups of.")
        return dataset, table
    if empty:
        click.echo(f"Note: {_takes_no_part([names[j] for j in empty])}, without any value.", err=True)
    if labels:
        click.echo(
            f"Note: {_takes_no_part([names[j] for j in labels])}: a value of its own in every row, which names it. "
            "--nominal or --numeric takes such a column for what it holds.",
            err=True,
        )
    return dataset, table if len(used) == d else table.select(used)


def _takes_no_part(names: list[str]) -> str:
    """
    >>> from assay.cli.cluster import _takes_no_part
    >>> _takes_no_part(["id"]), _takes_no_part(["id", "name"])
    ('column id takes no part', 'columns id and name take no part')
    """
    verb = "takes" if len(names) == 1 else "take"
    return f"column{'' if len(names) == 1 else 's'} {listed_names(names)} {verb} no part"


def _numbers(table: Any, no_scale: bool) -> Any:
    """(n, p) columns, categories as indicators, of deviation 1 unless asked otherwise."""
    import numpy as np

    design = _design(table)
    values = table.values.toarray() if hasattr(table.values, "tocsr") else table.values
    values = np.asarray(values if design.plain else design.expand(values), dtype=np.float64)
    if no_scale:
        return values
    known = ~np.isnan(values).all(axis=0)
    mean, spread = np.zeros(values.shape[1]), np.ones(values.shape[1])
    mean[known], spread[known] = np.nanmean(values[:, known], axis=0), np.nanstd(values[:, known], axis=0)
    return (values - mean) / np.where(spread > 0, spread, 1.0)


def _design(table: Any) -> Any:
    from assay.tables.design import Design

    return Design(table.schema, False)


def _how_many(
    table: Any, number: int | None, method: str, max_k: int, no_scale: bool, seed: int
) -> tuple[Any, int | None]:
    if number is not None or method in NUMBERED_BY_ITSELF:
        return None, number
    if table.complete:
        from assay.cluster import choose_clusters

        choice = choose_clusters(_numbers(table, no_scale), max_clusters=max_k, random_state=seed)
        return choice, choice.n_clusters
    return _by_likelihood(table, max_k, seed)


def _by_likelihood(table: Any, max_k: int, seed: int) -> tuple[Any, int]:
    """With missing values: the lowest criterion of Bayes of mixtures of mixed columns."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    from assay.cluster import ClusterChoice
    from assay.mixture import MixedMixture

    ks = list(range(1, min(max_k, len(table)) + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        bic = [MixedMixture(k, n_init=2, max_iter=100, random_state=seed).fit(table).bic(table) for k in ks]
    best = ks[min(range(len(ks)), key=lambda i: bic[i])]
    return ClusterChoice(best, {"bic of mixtures": best}, ks, {"bic": bic}), best


def _grouped(table: Any, method: str, k: int | None, no_scale: bool, seed: int) -> tuple[Any, Any]:
    """The fitted learner, and the group of each row."""
    from assay import cluster

    if method == "prototypes":
        model: Any = cluster.KPrototypes(k or 1, scale=not no_scale, random_state=seed).fit(table)
        return model, model.labels_
    X = _numbers(table, no_scale)
    if method == "mixture":
        from assay.mixture import GaussianMixture
        from assay.tables import Column, Schema, Table

        named = Table(X, Schema([Column(name) for name in _design(table).names]))
        model = GaussianMixture(k or 1, n_init=3, random_state=seed).fit(named)
        return model, model.predict(named)
    makers: dict[str, Any] = {
        "kmeans": lambda: cluster.KMeans(k or 1, n_init=10, random_state=seed),
        "genie": lambda: cluster.Genie(k or 1),
        "spectral": lambda: cluster.SpectralClustering(
            k or 1, affinity="nearest_neighbors", n_neighbors=min(15, len(X)), random_state=seed
        ),
        "hdbscan": lambda: cluster.HDBSCAN(max(5, len(X) // 100)),
    }
    model = makers[method]() if method in makers else cluster.AgglomerativeClustering(k or 1, linkage=method)
    return model, model.fit(X).labels_


def _pictures(table: Any, model: Any, labels: Any, no_scale: bool, seed: int) -> str:
    """The groups in linked pictures; of an incomplete table by Gower's distance."""
    from assay.cluster import AgglomerativeClustering
    from assay.report.group_pictures import group_pictures

    tree = model.tree_ if isinstance(model, AgglomerativeClustering) else None
    rows = _numbers(table, no_scale) if table.complete else table
    return str(group_pictures(rows, labels, tree, getattr(model, "history_", ()), seed))


def _tell(
    dataset: Any, table: Any, labels: Any, method: str, choice: Any, rules: bool, seed: int,
    output: str | None, report: str | None, pictures: str, as_json: bool,
) -> None:  # fmt: skip
    import numpy as np

    from assay.cluster import compare_clusterings, profile_clusters, silhouette_score

    profile = profile_clusters(table, labels)
    groups = len(profile.groups)
    described = None
    if rules and groups > 1:
        from assay.rules import describe_clusters

        described = describe_clusters(table, labels, random_state=seed)
    facts = [f"{counted(len(labels), 'row')} of {dataset.name} in {counted(groups, 'group')} ({method})"]
    if choice is not None:
        facts.append(str(choice))
    score = None
    if table.complete and 1 < len(np.unique(labels)) < len(labels):
        sample = 2000 if len(labels) > 2000 else None
        score = silhouette_score(_numbers(table, False), labels, sample_size=sample, random_state=seed)
        facts.append(f"Mean silhouette {score:.3f}: 1 is far apart, 0 is no groups at all.")
    agreement = None
    if dataset.y is not None and np.asarray(dataset.y).dtype.kind not in "f":
        agreement = compare_clusterings(np.asarray(dataset.y), labels)
        facts.append(
            f"Agreement with {dataset.target} beyond chance: adjusted Rand index {agreement['adjusted_rand']:.3f}, "
            f"{agreement['matched_rows']:.0%} of the rows can be matched."
        )
    on_stderr = output == "-"
    if as_json:
        from assay.cli.output import echo_json

        echo_json(
            {
                "method": method,
                "groups": [
                    {"label": g.label, "rows": g.size, "share": g.share, "typical_row": g.prototype + 1,
                     "traits": list(g.traits), "columns": list(g.columns)}
                    for g in profile.groups
                ],
                "outside": (profile.outside + 1).tolist(),
                "choice": None if choice is None else {"clusters": choice.n_clusters, "votes": choice.votes,
                                                       "table": choice.table()},
                "silhouette": score,
                "agreement": agreement,
                "rules": None if described is None else [
                    {"label": g.label, "rules": list(g.rules), "recall": g.recall, "precision": g.precision}
                    for g in described.groups
                ],
                "labels": np.asarray(labels).tolist(),
            }
        )  # fmt: skip
    else:
        click.echo("\n".join(facts) + "\n", err=on_stderr)
        click.echo(str(profile), err=on_stderr)
        if described is not None:
            click.echo("\n" + str(described), err=on_stderr)
    if report:
        _page(report, facts, pictures, profile, described)
        click.echo(f"Report: {report}", err=as_json or on_stderr)
    if output:
        from assay.cli.output import unique_name, write_columns

        columns = _whole(dataset.X.to_columns())
        name = unique_name("group", columns)
        target = {} if dataset.y is None else {dataset.target: np.asarray(dataset.y).tolist()}
        write_columns({**columns, **target, name: np.asarray(labels).tolist()}, output)
        where = "standard output" if output == "-" else output
        click.echo(f"Written to {where}: the table with the column {name}.", err=as_json or on_stderr)


def _whole(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Columns of whole numbers without a decimal point."""

    def whole(value: Any) -> bool:
        return value is None or (isinstance(value, float) and value.is_integer() and abs(value) < 2**53)

    return {
        name: [None if v is None else int(v) for v in values] if all(map(whole, values)) else values
        for name, values in columns.items()
    }


def _page(path: str, facts: list[str], pictures: str, profile: Any, described: Any) -> None:
    from html import escape

    from assay.cli.page import page
    from assay.tables.whole_files import write_whole

    body = f"<h4>{escape(facts[0])}</h4>" + "".join(f"<p>{escape(fact)}</p>" for fact in facts[1:])
    body += pictures + profile.view().to_html()
    if described is not None:
        body += described.view().to_html()
    write_whole(path, page(facts[0], body))
