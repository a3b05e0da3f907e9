"""Trees: learners that ask one question after the other, and can be read."""

__all__: list[str] = []
