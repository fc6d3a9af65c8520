"""What must survive a killed server, in one SQLite file: sessions, their deals, decisions and puzzles.

Every card is written before the page hears of it. A deal is one row with its seed, salt, passes and plays; the rest
follows from the rules. The SQL table of the sessions is called `tables`, as in all versions.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from heartlab.coach.values import CLEAR

SCHEMA = """
PRAGMA journal_mode=WAL;
PRAGMA synchronous=NORMAL;
CREATE TABLE IF NOT EXISTS house (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tables (key TEXT PRIMARY KEY, made REAL NOT NULL, settings BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS deals (
    key TEXT NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (key, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS decisions (
    key TEXT NOT NULL, number INTEGER NOT NULL, place INTEGER NOT NULL, person TEXT NOT NULL,
    cost REAL NOT NULL, se REAL, PRIMARY KEY (key, number, place)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS puzzles (
    id INTEGER PRIMARY KEY, person TEXT NOT NULL, origin TEXT NOT NULL UNIQUE, body BLOB NOT NULL,
    stage INTEGER NOT NULL DEFAULT 0, due REAL NOT NULL
);
"""


class Settings(Struct, frozen=True):
    """How a session was opened."""

    rules: str
    players: list[str]
    """Who sits on the seats that the person does not have: 1 and up, or all of them in a watched session."""
    name: str = "You"
    seed: int | None = None
    practice: bool = False
    watch: bool = False
    first: int = 0
    """Number of the first deal."""
    only: int | None = None
    """How many deals are played, if it is not a whole game."""
    scores: list[int] | None = None
    """Totals before the first deal."""


class Row(Struct):
    """One deal: what does not follow from the rules."""

    number: int
    seed: int
    salt: str
    passes: dict[int, list[int]] = {}
    plays: list[int] = []
    kept: int = 0
    """Cards that were there from the start, when a deal is played again from its middle."""
    undos: int = 0
    helped: int = 0
    """How often the person asked the coach during the deal."""
    points: list[int] | None = None
    """The result, once the deal is over."""
    moon: str | None = None
    """What the person's moon does, where the rules leave the choice to the shooter."""
    secret: str = ""
    share: str = ""
    """What the seed was made from, if the page had a share in it."""


class StoreError(ValueError):
    """The file is not a store, or cannot be read or written."""


class Store:
    """The file. One connection, used by one thread at a time. Only its owner may read it: it holds keys and seeds."""

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._db = sqlite3.connect(str(path), check_same_thread=False, isolation_level=None, timeout=10)
            self._db.executescript(SCHEMA)
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreError(f"{path}: cannot be used to keep games ({error})") from error
        for kept in (str(path), f"{path}-wal", f"{path}-shm"):
            with contextlib.suppress(OSError):
                os.chmod(kept, 0o600)

    @contextlib.contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; errors of SQLite become a `StoreError`."""
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                raise StoreError(f"this cannot be kept, so it was not done ({error}); open the table again") from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def house_key(self) -> str:
        """The key that allows to open sessions; made once."""
        fresh = secrets.token_urlsafe(16)
        with self._using() as db:
            db.execute("INSERT OR IGNORE INTO house VALUES ('key', ?)", (fresh,))
            return str(db.execute("SELECT value FROM house WHERE name = 'key'").fetchone()[0])

    # --- sessions ---

    def add_session(self, key: str, settings: Settings) -> None:
        """Keep a new session."""
        with self._using() as db:
            db.execute("INSERT INTO tables VALUES (?, ?, ?)", (key, time.time(), msgspec.json.encode(settings)))

    def load_session(self, key: str) -> tuple[Settings, list[Row]] | None:
        """A session with its deals, or None if there is none with this key."""
        with self._using() as db:
            found = db.execute("SELECT settings FROM tables WHERE key = ?", (key,)).fetchone()
            rows = db.execute("SELECT body FROM deals WHERE key = ? ORDER BY number", (key,)).fetchall()
        if found is None:
            return None
        return msgspec.json.decode(found[0], type=Settings), [msgspec.json.decode(row[0], type=Row) for row in rows]

    def save_deal(self, key: str, row: Row) -> None:
        """Keep a deal as it stands."""
        body = msgspec.json.encode(row)
        with self._using() as db:
            db.execute("INSERT OR REPLACE INTO deals VALUES (?, ?, ?)", (key, row.number, body))

    # --- decisions and puzzles ---

    def add_decisions(self, key: str, number: int, person: str, costs: list[tuple[int, float, float | None]]) -> None:
        """Keep what somebody's decisions in a deal cost; only the first review of a deal counts."""
        with self._using() as db:
            db.executemany(
                "INSERT OR IGNORE INTO decisions VALUES (?, ?, ?, ?, ?, ?)",
                [(key, number, place, person, cost, se) for place, cost, se in costs],
            )

    def deal_costs(self, person: str) -> list[tuple[float, int]]:
        """What each reviewed deal of somebody cost, and with how many decisions; costs within the noise are nothing."""
        with self._using() as db:
            rows = db.execute(
                "SELECT SUM(CASE WHEN se IS NULL OR cost > ? * se THEN cost ELSE 0 END), COUNT(*) "
                "FROM decisions WHERE person = ? GROUP BY key, number",
                (CLEAR, person),
            ).fetchall()
        return [(float(cost), int(count)) for cost, count in rows]

    def add_puzzle(self, person: str, origin: str, body: bytes, due: float) -> None:
        """Keep a puzzle, unless the same mistake is one already."""
        with self._using() as db:
            db.execute(
                "INSERT OR IGNORE INTO puzzles (person, origin, body, due) VALUES (?, ?, ?, ?)",
                (person, origin, body, due),
            )

    def due_puzzle(self, person: str, now: float) -> tuple[int, bytes, int] | None:
        """The puzzle that has been due longest: its number, body and stage."""
        with self._using() as db:
            found = db.execute(
                "SELECT id, body, stage FROM puzzles WHERE person = ? AND due <= ? ORDER BY due, id LIMIT 1",
                (person, now),
            ).fetchone()
        return None if found is None else (int(found[0]), bytes(found[1]), int(found[2]))

    def puzzle(self, number: int, person: str) -> tuple[bytes, int] | None:
        """A puzzle's body and stage."""
        with self._using() as db:
            found = db.execute(
                "SELECT body, stage FROM puzzles WHERE id = ? AND person = ?", (number, person)
            ).fetchone()
        return None if found is None else (bytes(found[0]), int(found[1]))

    def waiting_puzzles(self, person: str) -> int:
        """How many puzzles somebody has, due or not."""
        with self._using() as db:
            found = db.execute("SELECT COUNT(*) FROM puzzles WHERE person = ?", (person,)).fetchone()
        return int(found[0])

    def schedule_puzzle(self, number: int, stage: int, due: float) -> None:
        """Say when a puzzle comes back."""
        with self._using() as db:
            db.execute("UPDATE puzzles SET stage = ?, due = ? WHERE id = ?", (stage, due, number))
