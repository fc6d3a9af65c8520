"""`python -m heartlab.cli` is `heartlab`."""

from heartlab.cli import main

main()
