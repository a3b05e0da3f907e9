"""What does not belong: rows that are unlike the others."""

__all__: list[str] = []
