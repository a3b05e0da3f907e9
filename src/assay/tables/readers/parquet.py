"""Parquet files, row group by row group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assay.errors import SchemaError
from assay.tables.readers.origin import Origin, complain


class ParquetReader:
    """A Parquet file, read whole or in batches of rows.

    Columns keep their Arrow types: dictionaries stay categories, with their order if they have one.

    Parameters
    ----------
    path : str, Path, file object or "-"
    """

    format = "parquet"

    def __init__(self, path: Any):
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.origin = Origin.of(path)
        self.name = self.origin.name
        try:
            with pq.ParquetFile(self.origin.plain) as file:
                self.schema = file.schema_arrow
                self.rows = file.metadata.num_rows
        except (pa.ArrowException, OSError, ValueError) as error:
            raise complain(
                self.name, f"not a Parquet file, or a damaged one ({first_line(error)})."
            ) from None
        self.names: list[str] = list(self.schema.names)

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The whole file as one Arrow table."""
        import pyarrow as pa

        wanted = self._select(columns)
        schema = self.schema if wanted is None else pa.schema([self.schema.field(n) for n in wanted])
        batches = list(self._batches(columns, 1 << 20))
        try:
            table = pa.Table.from_batches(batches, schema)
        except pa.ArrowException as error:
            raise complain(self.name, f"the blocks of this file differ ({first_line(error)}).") from None
        if len(table) != self.rows:
            raise complain(self.name, f"the file says it has {self.rows} rows, but has {len(table)}.")
        return table

    def blocks(self, columns: Sequence[str] | None = None, rows: int = 65536) -> Iterator[Any]:
        """Arrow tables of at most ``rows`` rows."""
        import pyarrow as pa

        for batch in self._batches(columns, rows):
            yield pa.Table.from_batches([batch])

    def _select(self, columns: Sequence[str] | None) -> list[str] | None:
        if columns is None:
            return None
        for name in columns:
            if name not in self.names:
                raise SchemaError(
                    f"{self.name}: there is no column {name!r}. Columns: {', '.join(self.names)}."
                )
        return list(columns)

    def _batches(self, columns: Sequence[str] | None, rows: int) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        wanted = self._select(columns)
        try:
            with pq.ParquetFile(self.origin.plain) as file:
                for group in range(file.num_row_groups):  # all at once, Arrow keeps what it has read
                    batches = file.iter_batches(rows, row_groups=[group], columns=wanted, use_threads=False)
                    for batch in batches:
                        batch.validate(full=True)  # Arrow trusts the file: indices and text may be anything
                        yield batch if wanted is None else batch.select(wanted)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise complain(self.name, f"the file is damaged ({first_line(error)}).") from None


def first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
