"""The texts that stand for a missing value in files."""

MISSING = (
    "", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "Null",
)  # fmt: skip
