"""How the documentation is built: Sphinx, Markdown pages, and a gallery that runs."""

import assay

project = "Assay"
author = "The Assay developers"
copyright = "2026, The Assay developers"
version = release = assay.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
autosummary_generate = True
autodoc_typehints = "none"
napoleon_use_rtype = False

html_theme = "pydata_sphinx_theme"
html_title = "Assay"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}
mathjax_path = "mathjax.js"

sphinx_gallery_conf = {
    "examples_dirs": "../gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "min_reported_time": 5,
    "download_all_examples": False,
    "show_memory": False,
}
