"""How far rows are from each other, and which are nearest."""

__all__: list[str] = []
