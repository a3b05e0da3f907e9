"""A table as a product of two small matrices: singular vectors, nonnegative parts, factors of what is known."""
