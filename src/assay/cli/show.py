"""``assay show MODEL``: what a saved model has learned."""

from __future__ import annotations

import click


@click.command("show")
@click.argument("model", type=click.Path(dir_okay=False))
@click.option("--all", "everything", is_flag=True, help="Every row and line, however many.")
@click.option("--html", type=click.Path(dir_okay=False, writable=True), help="Write it as a page.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(model: str, everything: bool, html: str | None, as_json: bool) -> None:
    """What a saved model has learned: its tree or rules, coefficients, priors, importances of columns, settings."""
    from assay import load

    fitted = load(model)
    if not hasattr(fitted, "show"):
        raise click.ClickException(f"{model} holds a {type(fitted).__name__}, which is no model to show.")
    view = fitted.show(None if everything else 50)
    if html:
        from assay.cli.page import page
        from assay.tables.whole_files import write_whole

        write_whole(html, page(view.learner, view.to_html()))
        click.echo(f"{view.learner} is shown in {html}.")
    elif as_json:
        import json

        target = getattr(fitted, "target_name_", None)
        click.echo(
            json.dumps({"target": target, **view.to_dict()}, indent=2, ensure_ascii=False, default=str)
        )
    else:
        if hasattr(fitted, "target_name_"):
            number = "" if hasattr(fitted, "classes_") else ", a number"
            click.echo(f"Predicts {fitted.target_name_}{number}.")
        click.echo(str(view))
