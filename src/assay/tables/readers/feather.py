"""Feather and Arrow IPC files, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assay.errors import SchemaError
from assay.tables.readers.origin import Origin, complain
from assay.tables.readers.parquet import first_line


class FeatherReader:
    """A Feather (version 2) or Arrow IPC file, or an Arrow stream, read whole or in its own batches.

    Columns keep their Arrow types: dictionaries stay categories, with their order if they have one.

    Parameters
    ----------
    path : str, Path, file object or "-"
    """

    format = "feather"

    def __init__(self, path: Any):
        self.origin = Origin.of(path)
        self.name = self.origin.name
        with open(self.origin.plain, "rb") as file:
            magic = file.read(8)
        if magic[:4] == b"FEA1":
            raise complain(self.name, "Feather version 1 is no longer read; write it again as version 2.")
        self._stream = magic[:6] != b"ARROW1"
        with self._open() as reader:
            self.schema = reader.schema
        self.names: list[str] = list(self.schema.names)

    def _open(self) -> Any:
        import pyarrow as pa

        try:
            source = pa.OSFile(str(self.origin.plain), "rb")
            return pa.ipc.open_stream(source) if self._stream else pa.ipc.open_file(source)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise complain(
                self.name, f"not a Feather file, or a damaged one ({first_line(error)})."
            ) from None

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The whole file as one Arrow table."""
        import pyarrow as pa

        batches = list(self._batches(columns))
        schema = self.schema if columns is None else pa.schema([self.schema.field(n) for n in columns])
        return pa.Table.from_batches(batches, schema).unify_dictionaries()

    def blocks(self, columns: Sequence[str] | None = None, rows: int = 65536) -> Iterator[Any]:
        """Arrow tables of at most ``rows`` rows."""
        import pyarrow as pa

        for batch in self._batches(columns):
            for start in range(0, len(batch), rows):
                yield pa.Table.from_batches([batch.slice(start, rows)])

    def _batches(self, columns: Sequence[str] | None) -> Iterator[Any]:
        import pyarrow as pa

        for name in columns or ():
            if name not in self.names:
                raise SchemaError(
                    f"{self.name}: there is no column {name!r}. Columns: {', '.join(self.names)}."
                )
        with self._open() as reader:
            try:
                some = reader if self._stream else map(reader.get_batch, range(reader.num_record_batches))
                for batch in some:
                    batch.validate(full=True)  # Arrow trusts the file: indices and text may be anything
                    yield batch if columns is None else batch.select(list(columns))
            except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
                raise complain(self.name, f"the file is damaged ({first_line(error)}).") from None
