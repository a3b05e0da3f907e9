"""Reports: one HTML file that needs nothing else."""

from assay.report.page import render_report, write_report
from assay.report.settings import read_settings

__all__ = ["read_settings", "render_report", "write_report"]
