"""Transfer between games (Banerjee and Stone 2007): features learned in one game, used in others."""
