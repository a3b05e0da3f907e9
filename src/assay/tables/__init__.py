"""What data is: tables, their schema, readers and writers, encoders, built-in data, generators."""

from assay.tables.cleaning import Cleaning, clean
from assay.tables.design import Design
from assay.tables.readers import read_blocks, read_table
from assay.tables.row_names import RowNames, row_name
from assay.tables.schema import Column, Schema
from assay.tables.table import Table
from assay.tables.writers import write_arff, write_csv, write_table

__all__ = [
    "Cleaning",
    "Column",
    "Design",
    "RowNames",
    "Schema",
    "Table",
    "clean",
    "read_blocks",
    "read_table",
    "row_name",
    "write_arff",
    "write_csv",
    "write_table",
]
