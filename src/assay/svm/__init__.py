"""Support vector machines and other machines of kernels."""

__all__: list[str] = []
