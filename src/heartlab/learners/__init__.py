"""The learning systems, one folder each; see the docstring of each folder for its reading order."""
