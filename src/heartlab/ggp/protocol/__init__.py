"""The GGP protocol: messages, the player's side, the manager's side."""
