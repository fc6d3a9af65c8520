"""Running a game: grounding, networks, the prover."""
