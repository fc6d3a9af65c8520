"""The computer players of gnome-hearts: `player` lists them, `memory` is what they share, and each has its module."""
