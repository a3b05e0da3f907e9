"""Linear separability of classes, and the search for separating weights."""
