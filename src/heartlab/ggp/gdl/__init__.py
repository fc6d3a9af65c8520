"""The language: terms, parsing, validation, normal form, scrambling."""
