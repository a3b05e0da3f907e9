"""A page around a piece of HTML: the explanations and models that commands write."""

from __future__ import annotations

from html import escape

__all__ = ["page"]

_HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 60em; margin: 2em auto; padding: 0 1.5em; font: 15px/1.5 system-ui, sans-serif; overflow-x: auto; }}
h4 {{ font-size: 1.5em; margin: 0; }}
h5 {{ font-size: 1.1em; margin: 1.8em 0 .4em; }}
h4:not(:first-of-type) {{ margin-top: 1.5em; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }}
th, td {{ padding: .25em 1.6em .25em 0; text-align: left; border-bottom: 1px solid #8884; }}
th {{ font-size: .87em; opacity: .7; }}
p {{ margin: .6em 0; opacity: .8; overflow-wrap: anywhere; }}
</style>
"""


def page(title: str, body: str) -> str:
    """A whole page that needs no network.

    >>> from assay.cli.page import page
    >>> page("A & B", "<p>Hello</p>").count("A &amp; B")
    1
    """
    return _HEAD.format(title=escape(title)) + body + "</html>\n"
