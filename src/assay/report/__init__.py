"""Reports: one HTML file that needs nothing else."""

from assay.report.page import render_report, write_report
from assay.report.settings import read_settings
from assay.report.study_page import render_study, write_study

__all__ = ["read_settings", "render_report", "render_study", "write_report", "write_study"]
