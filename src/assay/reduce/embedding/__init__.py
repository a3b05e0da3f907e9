"""Embeddings: coordinates that keep distances or neighbourhoods, and where new rows fall among them."""
