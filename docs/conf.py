"""How the documentation is built: Sphinx, Markdown pages, and a gallery that runs."""

import sys
from pathlib import Path

import assay

sys.path[:0] = [str(Path(__file__).parent / "extensions"), str(Path(__file__).parents[1] / "tools")]

project = "Assay"
author = "The Assay developers"
copyright = "2026, The Assay developers"
version = release = assay.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx-mathjax-offline",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "reference_pages",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "extensions", "static", "templates"]
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "static" / "scorer.js")
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
autodoc_typehints = "none"
napoleon_use_rtype = False
napoleon_custom_sections = ["Fitted"]

html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}  # light or dark as the reader's system
html_title = "Assay"
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
    "show_nav_level": 1,
    "navigation_depth": 1,  # all names of all rooms beside each page would be most of the site
}
html_sidebars = {"reference/*/*": ["room_names.html"]}

GALLERY = [  # its sections, in the order of the books
    "hypotheses",
    "decisions",
    "regression",
    "features",
    "groups",
    "neighbours",
    "trees",
    "linear",
    "networks",
    "kernels",
    "graphs",
    "bayesian",
    "committees",
    "acting",
    "evidence",
]

sphinx_gallery_conf = {
    "subsection_order": [f"../gallery/{section}" for section in GALLERY],
    "examples_dirs": "../gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "min_reported_time": 5,
    "download_all_examples": False,
    "show_memory": False,
    "backreferences_dir": "gallery/uses",
    "doc_module": ("assay",),
    "write_computation_times": False,
    "parallel": 2,
}

suppress_warnings = ["ref.python"]  # short attribute names occur in several classes


def attributes_as_written(app, what, name, obj, options, lines):
    """The table of fitted attributes is laid out by hand; keep it so."""
    for i in range(len(lines) - 1):
        if lines[i].strip() == "Attributes" and lines[i + 1].strip("- ") == "" and lines[i + 1].strip():
            end = next(
                (j for j in range(i + 2, len(lines) - 1) if set(lines[j + 1].strip()) == {"-"}), len(lines)
            )
            lines[i : i + 2] = ["Fitted", "------", "::", ""]
            for j in range(i + 4, min(end + 2, len(lines))):
                lines[j] = f"    {lines[j]}".rstrip()
            return


def literal_attributes(app, what, name, obj, options, lines):
    """Fitted attributes end in an underscore, which reStructuredText would take for a link."""
    import re

    for i, line in enumerate(lines):
        if not line.startswith("    ") and not line.lstrip().startswith(
            (">>>", "...", ":math:", ".. math::")
        ):
            lines[i] = re.sub(r"(?<![`\w\\.])([A-Za-z]\w*_)(?![\w`{^])", r"``\1``", line)


def skip_plumbing(app, what, name, obj, skip, options):
    """What scikit-learn's base classes bring (parameters, metadata routing) is documented there."""
    routing = name.startswith("set_") and name.endswith("_request")
    return True if routing or str(getattr(obj, "__module__", "")).startswith("sklearn.") else None


def table_of_measures(app, docname, source):
    """The tables of all measures, where a page asks for them, from the records beside their functions."""
    from assay.metrics import measures

    for task in ("classification", "regression"):
        mark = f"<!-- measures of {task} -->"
        if mark not in source[0]:
            continue
        lines = ["| name | what it is | better | needs | other names |", "|---|---|---|---|---|"]
        for m in measures(task).values():
            others = ", ".join(sorted(m.names - {m.name}))
            lines.append(f"| {m.name} | {m.words} | {m.better} | {m.needs} | {others} |")
        source[0] = source[0].replace(mark, "\n".join(lines))


def change_notes(app, docname, source):
    """What has changed since the last release, where a page asks for it."""
    mark = "<!-- change notes -->"
    if mark in source[0]:
        from changelog import gathered

        source[0] = source[0].replace(mark, gathered("##"))


def setup(app):
    app.extensions[
        "sphinx-mathjax-offline"
    ].parallel_read_safe = True  # it copies files at the end, and does not say so
    app.connect("source-read", table_of_measures)
    app.connect("source-read", change_notes)
    app.connect("autodoc-process-docstring", attributes_as_written, priority=100)
    app.connect("autodoc-process-docstring", literal_attributes, priority=900)
    app.connect("autodoc-skip-member", skip_plumbing)
