"""Which build of the package is tested, attacked and measured: the editable one, or the one that ASSAY_FROM names."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def use() -> None:
    """Import the package from ``ASSAY_FROM`` (make sanitize, make attack, make fuzz), ahead of the editable one."""
    if "ASSAY_FROM" in os.environ:
        sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__.lower()]
        sys.path.insert(0, str(ROOT / os.environ["ASSAY_FROM"]))
