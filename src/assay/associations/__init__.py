"""What goes together: frequent item sets of baskets, and the rules among them."""

__all__: list[str] = []
