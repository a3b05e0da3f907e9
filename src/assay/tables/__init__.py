"""What data is: tables, their schema, readers, encoders, built-in data, generators."""

from assay.tables.design import Design
from assay.tables.schema import Column, Schema
from assay.tables.table import Table

__all__ = ["Column", "Design", "Schema", "Table"]
