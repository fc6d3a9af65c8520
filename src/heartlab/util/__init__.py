"""Small helpers that know nothing of games: files, locks, interrupts, progress, places to run, statistics, names."""
