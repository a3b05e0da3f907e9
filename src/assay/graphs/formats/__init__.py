"""Network files: BIF, XMLBIF, UAI, DSC and JSON, read and written."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.errors import DataError, ParameterError, ReadError, did_you_mean
from assay.graphs.formats import bif, dsc, json_network, uai, xmlbif
from assay.tables.whole_files import write_whole
from assay.types import PathLike

__all__ = ["FORMATS", "read_network", "write_network"]

FORMATS: dict[str, Any] = {"bif": bif, "xmlbif": xmlbif, "uai": uai, "dsc": dsc, "json": json_network}
ENDINGS = {
    ".bif": "bif",
    ".xml": "xmlbif",
    ".xmlbif": "xmlbif",
    ".bifxml": "xmlbif",
    ".uai": "uai",
    ".dsc": "dsc",
    ".json": "json",
}
MOST_BYTES = 1 << 28  # of a network file, also of what a compressed one holds


def read_network(path: PathLike, format: str | None = None) -> Any:
    """The network of a file.

    Parameters
    ----------
    path : file that ends in .bif, .xml, .xmlbif or .bifxml, .uai, .dsc or .json; compressed with gzip if it ends in .gz
    format : "bif", "xmlbif", "uai", "dsc" or "json"; None goes by the ending

    Examples
    --------
    >>> import os, tempfile
    >>> from assay.graphs import load_network, read_network, write_network
    >>> path = os.path.join(tempfile.mkdtemp(), "cancer.bif")
    >>> write_network(load_network("cancer"), path)
    >>> read_network(path)
    BayesianNetwork of 5 nodes and 4 arcs (polytree)

    See Also
    --------
    write_network, load_network
    """
    file = Path(str(path))
    kind = _format(file, format, "read_network")
    text = text_of(file, "read_network")
    try:
        return FORMATS[kind].parse(text, str(file))
    except ReadError:
        raise
    except (DataError, ParameterError) as error:  # nodes that do not fit together
        raise ReadError(str(error), where=str(file)) from None


def text_of(file: Path, who: str) -> str:
    """The text of a file, unpacked if it ends in .gz; at most so many bytes, also of what is unpacked."""
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise ReadError(f"it cannot be read: {error.strerror}", who=who, where=str(file)) from None
    if file.suffix == ".gz":
        import gzip
        import zlib
        from io import BytesIO

        try:
            content = gzip.GzipFile(fileobj=BytesIO(content)).read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            raise ReadError("it is no whole gzip file", who=who, where=str(file)) from None
    if len(content) > MOST_BYTES:
        raise ReadError(f"it has more than {MOST_BYTES:,} bytes", who=who, where=str(file))
    with suppress(UnicodeDecodeError):
        return content.decode("utf-16" if content[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig")
    return content.decode("latin-1")


def write_network(network: Any, path: PathLike, format: str | None = None) -> None:
    """Write a network; numbers are written such that they are read again bit for bit.

    BIF, XMLBIF, UAI and DSC hold tables alone: other conditionals are written as their tables, and numbers cannot be
    written. JSON holds everything. UAI has no names.
    """
    file = Path(str(path))
    kind = _format(file, format, "write_network")
    numbers = [node.name for node in network.nodes if node.states is None]
    if numbers and kind != "json":
        raise DataError(
            f"node {numbers[0]!r} is a number, which a {kind} file cannot hold. Write a .json file.",
            who="write_network",
        )
    text = FORMATS[kind].text(network)
    if file.suffix == ".gz":
        import gzip

        write_whole(file, gzip.compress(text.encode(), mtime=0))
    else:
        write_whole(file, text)


def _format(file: Path, format: str | None, who: str) -> str:
    if format is not None:
        if format not in FORMATS:
            raise ParameterError(f"format must be one of {', '.join(FORMATS)}, got {format!r}.", who=who)
        return format
    name = file.name.removesuffix(".gz")
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError(
            f"{file.name} ends in none of {', '.join(ENDINGS)}.{did_you_mean(ending, ENDINGS, listed=False)} "
            "Say format=.",
            who=who,
        )
    return ENDINGS[ending]
