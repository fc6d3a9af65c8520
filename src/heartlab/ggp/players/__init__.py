"""Players of any game, by name."""
