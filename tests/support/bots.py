"""Bots for tests: programs that speak UHI, written as scripts, and the search for what they leave behind."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

PATIENCE = 600
"""Seconds after which a test gives up: nothing else depends on how long something takes."""


def python_bot(path: Path, *, on_card: str = "", on_start: str = "", on_end: str = "") -> str:
    """Write a bot that follows suit with its first card, with lines of its own; gives its command."""
    path.write_text(
        "import os, sys, time\n"
        f"{on_start}\n"
        "for line in sys.stdin:\n"
        "    word, _, rest = line.strip().partition(' ')\n"
        "    if word == 'uhi': print('uhiok', flush=True)\n"
        "    elif word == 'newdeal': hand, trick = rest.split(' hand ')[1].split(' pass ')[0].split(), []\n"
        "    elif word == 'received': hand = [card for card in hand if card not in passed] + rest.split()\n"
        "    elif word == 'passed': passed = rest.split()\n"
        "    elif word == 'played':\n"
        "        card = rest.split()[1]\n"
        "        trick = [*trick, card] if len(trick) < 4 else [card]\n"
        "        hand = [one for one in hand if one != card]\n"
        "    elif word == 'pass?': print('pass', *hand[:3], flush=True)\n"
        "    elif word == 'card?':\n"
        f"        {on_card or 'pass'}\n"
        "        led = trick[0][1] if len(trick) % 4 else ''\n"
        "        print('card', ([one for one in hand if one[1] == led] or hand)[0], flush=True)\n"
        "    elif word == 'enddeal':\n"
        f"        {on_end or 'pass'}\n"
        "    elif word == 'quit': break\n"
    )
    return f"{sys.executable} -S {path}"


def left_behind(text: object) -> list[int]:
    """Processes of this machine, apart from ourselves, whose command line holds a text."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(text).encode() in entry.read_bytes() and int(entry.parent.name) != os.getpid():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def gone(text: object, seconds: float = PATIENCE) -> bool:
    """Wait until no such process is left."""
    deadline = time.monotonic() + seconds
    while left_behind(text) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not left_behind(text)


def appeared(text: object, seconds: float = PATIENCE) -> bool:
    """Wait until there is such a process."""
    deadline = time.monotonic() + seconds
    while not left_behind(text) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(left_behind(text))
