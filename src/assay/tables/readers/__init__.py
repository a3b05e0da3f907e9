"""Reading files: CSV and its relatives, Parquet, ARFF, LIBSVM; whole or in blocks.

>>> import tempfile, pathlib
>>> from assay.tables.readers import read_table
>>> path = pathlib.Path(tempfile.mkdtemp()) / "apples.csv"
>>> _ = path.write_text("weight,taste,good\\n190,sweet,yes\\n260,sour,no\\n,sweet,yes\\n")
>>> data = read_table(path, target="good")
>>> data
apples.csv: 3 rows, 2 columns, target 'good'
Schema: 2 columns
  weight  numeric
  taste   nominal  sour, sweet
>>> data.y
array(['yes', 'no', 'yes'], dtype=object)
>>> X, y = data
"""

from assay.tables.readers.blocks import Blocks, read_blocks
from assay.tables.readers.read import FileData, labels, read_table

__all__ = ["Blocks", "FileData", "labels", "read_blocks", "read_table"]
