"""What must survive a killed server, in one SQLite file: sessions, their deals, decisions and puzzles.

Every card is written before the page hears of it. A deal is one row with its seed, salt, passes and plays; the rest
follows from the rules. The SQL table of the sessions is called `tables`, as in all versions.
"""

from __future__ import annotations

import contextlib
import logging
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
from heartlab.util.errors import clipped
from heartlab.util.said import Said

log = logging.getLogger(__package__)
DAMAGED = Said("what is kept of this table is damaged, so it cannot be opened; it is left as it is")
PATIENCE = 10.0
"""Seconds that a change waits for other programs, unless told otherwise."""
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
CREATE TABLE IF NOT EXISTS results (
    person TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, made REAL NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (person, key, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seats (
    token TEXT PRIMARY KEY, key TEXT NOT NULL, seat INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (key, seat)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS invitations (key TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE) WITHOUT ROWID;
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
    daily: str = ""
    """The day, if this is its daily deal."""
    friends: bool = False
    """Whether people may be invited; the bots then play on the seats that nobody has, and stand in."""


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
    people: dict[int, str] = {}
    """With friends: the people of the deal by seat."""


class StoreError(ValueError):
    """The file is not a store, or cannot be read or written."""


@contextlib.contextmanager
def _one_kind_of_error() -> Iterator[None]:
    """Errors of SQLite and of the disk as a `StoreError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(
            Said("this cannot be kept, so it was not done ({error}); open the table again", error=str(error))
        ) from error


class Store:
    """The file. One connection writes and one reads, each used by one thread at a time: readers wait for no writer.

    Only its owner may read the file: it holds keys and seeds.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self.patience = PATIENCE
        """Seconds that a change waits for other programs that write to the file."""
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        try:
            self._open()
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreError(f"{path}: cannot be used to keep games ({error})") from error
        if not self._is_file:
            self._reading = self._lock

    @property
    def _is_file(self) -> bool:
        return str(self.path) != ":memory:"

    def _open(self) -> None:
        self._db = self._connect()
        self._reader = self._connect() if self._is_file else self._db
        self._files = self._on_disk()

    def _connect(self) -> sqlite3.Connection:
        """A connection to the file, which is made if it does not exist."""
        if self._is_file:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        db = sqlite3.connect(str(self.path), check_same_thread=False, isolation_level=None, timeout=PATIENCE)
        db.executescript(SCHEMA)
        for kept in (str(self.path), f"{self.path}-wal", f"{self.path}-shm"):
            with contextlib.suppress(OSError):
                os.chmod(kept, 0o600)
        return db

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The connection for changes, for one thread at a time; errors of SQLite become a `StoreError`."""
        with self._lock, _one_kind_of_error():
            self._check_file()
            self._db.execute(f"PRAGMA busy_timeout = {max(0, round(1000 * self.patience))}")
            yield self._db

    @contextlib.contextmanager
    def _looking(self) -> Iterator[sqlite3.Connection]:
        """The connection for questions."""
        with self._reading, _one_kind_of_error():
            yield self._reader

    def close(self) -> None:
        """Write everything into the one file and close it."""
        with self._lock:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if self._reader is not self._db:
                self._reader.close()
            self._db.close()

    # --- a file that somebody deletes ---

    def _on_disk(self) -> list[tuple[int, int] | None]:
        """Device and inode of the file at the path, and of its journal (`-wal`); None where there is none."""
        found: list[tuple[int, int] | None] = []
        for path in (str(self.path), f"{self.path}-wal"):
            try:
                there = os.stat(path)
                found.append((there.st_dev, there.st_ino))
            except OSError:
                found.append(None)
        return found

    def _check_file(self) -> None:
        """Restore the file if somebody deleted it: its contents exist as long as it is open.

        :raises StoreError: if another file is in its place, which must not be overwritten.
        """
        if not self._is_file or (there := self._on_disk()) == self._files:
            return
        if there[0] not in (None, self._files[0]):
            raise StoreError(f"{self.path} was replaced by another file, so nothing is kept; start the server again")
        part = Path(f"{self.path}.part")
        if there[0] is None:
            self._copy_to(part)
        elif self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise StoreError(f"{self.path}-wal was deleted, and another program holds the file, so nothing is kept")
        with self._reading:
            self._reader.close()
            self._db.close()  # removes the old journal
            if there[0] is None:
                os.replace(part, self.path)
            self._open()
        log.warning("%s was deleted while the server runs; it was written again with all games", self.path)

    def _copy_to(self, path: Path) -> None:
        """Write all that the open file holds to another one; what an error left of it is removed."""
        path.unlink(missing_ok=True)
        try:
            self._db.execute("VACUUM INTO ?", (str(path),))
        except sqlite3.Error:
            path.unlink(missing_ok=True)
            raise

    def house_key(self) -> str:
        """The key that allows to open sessions; made once."""
        fresh = secrets.token_urlsafe(16)
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO house VALUES ('key', ?)", (fresh,))
            return str(db.execute("SELECT value FROM house WHERE name = 'key'").fetchone()[0])

    # --- sessions ---

    def add_session(self, key: str, settings: Settings) -> None:
        """Keep a new session."""
        with self._writing() as db:
            db.execute("INSERT INTO tables VALUES (?, ?, ?)", (key, time.time(), msgspec.json.encode(settings)))

    def load_session(self, key: str) -> tuple[Settings, list[Row]] | None:
        """A session with its deals, or None if there is none with this key.

        :raises StoreError: if what is kept of it is damaged.
        """
        with self._looking() as db:
            found = db.execute("SELECT settings FROM tables WHERE key = ?", (key,)).fetchone()
            rows = db.execute("SELECT body FROM deals WHERE key = ? ORDER BY number", (key,)).fetchall()
        if found is None:
            return None
        try:
            settings = msgspec.json.decode(found[0], type=Settings)
            return settings, [msgspec.json.decode(row[0], type=Row) for row in rows]
        except (msgspec.DecodeError, UnicodeError, TypeError) as error:
            raise StoreError(Said("{what} ({error})", what=DAMAGED, error=clipped(error, 80))) from error

    def save_deal(self, key: str, row: Row) -> None:
        """Keep a deal as it stands."""
        body = msgspec.json.encode(row)
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO deals VALUES (?, ?, ?)", (key, row.number, body))

    # --- seats of friends ---

    def set_invitation(self, key: str, token: str) -> None:
        """Let a token invite to a session, and no other one any more."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO invitations VALUES (?, ?)", (key, token))

    def move_invitation(self, old: str, new: str) -> None:
        """Let the token that invited to a session invite to another one."""
        with self._writing() as db:
            db.execute("UPDATE OR REPLACE invitations SET key = ? WHERE key = ?", (new, old))

    def invitation_to(self, key: str) -> str:
        """The token that invites to a session; empty if none does."""
        with self._looking() as db:
            found = db.execute("SELECT token FROM invitations WHERE key = ?", (key,)).fetchone()
        return "" if found is None else str(found[0])

    def invited_by(self, token: str) -> str | None:
        """The session that a token invites to."""
        with self._looking() as db:
            found = db.execute("SELECT key FROM invitations WHERE token = ?", (token,)).fetchone()
        return None if found is None else str(found[0])

    def add_seat(self, token: str, key: str, seat: int, name: str) -> None:
        """Give a seat to whoever has the token."""
        with self._writing() as db:
            db.execute("INSERT INTO seats VALUES (?, ?, ?, ?)", (token, key, seat, name))

    def remove_seat(self, key: str, seat: int) -> None:
        """Take a seat back: its token opens nothing any more."""
        with self._writing() as db:
            db.execute("DELETE FROM seats WHERE key = ? AND seat = ?", (key, seat))

    def seat_of(self, token: str) -> tuple[str, int] | None:
        """The session and the seat that a token opens."""
        with self._looking() as db:
            found = db.execute("SELECT key, seat FROM seats WHERE token = ?", (token,)).fetchone()
        return None if found is None else (str(found[0]), int(found[1]))

    def seats_at(self, key: str) -> dict[int, str]:
        """The names of the guests of a session, by seat."""
        with self._looking() as db:
            return {int(seat): str(name) for seat, name in db.execute(
                "SELECT seat, name FROM seats WHERE key = ?", (key,)
            )}  # fmt: skip

    # --- the history ---

    def sessions_of(self, person: str) -> list[tuple[str, float, Settings, set[int]]]:
        """The sessions that somebody has opened, or was a guest of: key, time, settings, and the deals' numbers."""
        with self._looking() as db:
            tables = db.execute("SELECT key, made, settings FROM tables").fetchall()
            guest = {row[0] for row in db.execute("SELECT key FROM seats WHERE name = ?", (person,))}
            mine = [(key, made, msgspec.json.decode(body, type=Settings)) for key, made, body in tables]
            return [
                (key, made, settings, {row[0] for row in db.execute("SELECT number FROM deals WHERE key = ?", (key,))})
                for key, made, settings in mine
                if settings.name == person or key in guest
            ]

    def known_results(self, person: str) -> dict[str, set[int]]:
        """The numbers of the deals whose results are kept, by the key of their session."""
        found: dict[str, set[int]] = {}
        with self._looking() as db:
            for key, number in db.execute("SELECT key, number FROM results WHERE person = ?", (person,)):
                found.setdefault(key, set()).add(number)
        return found

    def add_result(self, key: str, number: int, person: str, made: float, body: bytes) -> None:
        """Keep the result of a deal, unless it is kept already."""
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?)", (person, key, number, made, body))

    def results_of(self, person: str) -> list[tuple[str, float, bytes]]:
        """All results of somebody, game by game, in the order of play: key, time, body."""
        with self._looking() as db:
            rows = db.execute(
                "SELECT key, made, body FROM results WHERE person = ? ORDER BY key, number", (person,)
            ).fetchall()
        return [(str(key), float(made), bytes(body)) for key, made, body in rows]

    # --- decisions and puzzles ---

    def add_decisions(self, key: str, number: int, person: str, costs: list[tuple[int, float, float | None]]) -> None:
        """Keep what somebody's decisions in a deal cost; only the first review of a deal counts."""
        with self._writing() as db:
            db.executemany(
                "INSERT OR IGNORE INTO decisions VALUES (?, ?, ?, ?, ?, ?)",
                [(key, number, place, person, cost, se) for place, cost, se in costs],
            )

    def deal_costs(self, person: str) -> list[tuple[float, int, list[str]]]:
        """What each reviewed deal of somebody cost, with how many decisions, and against whom, in the order of play.

        Costs within the noise are nothing.
        """
        with self._looking() as db:
            rows = db.execute(
                "SELECT SUM(CASE WHEN se IS NULL OR cost > ? * se THEN cost ELSE 0 END), COUNT(*), settings "
                "FROM decisions JOIN tables USING (key) LEFT JOIN results USING (person, key, number) "
                "WHERE person = ? GROUP BY key, number ORDER BY results.made, key, number",
                (CLEAR, person),
            ).fetchall()
        return [
            (float(cost), int(count), msgspec.json.decode(settings, type=Settings).players)
            for cost, count, settings in rows
        ]

    def add_puzzle(self, person: str, origin: str, body: bytes, due: float) -> None:
        """Keep a puzzle, unless the same mistake is one already."""
        with self._writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO puzzles (person, origin, body, due) VALUES (?, ?, ?, ?)",
                (person, origin, body, due),
            )

    def due_puzzle(self, person: str, now: float) -> tuple[int, bytes, int] | None:
        """The puzzle that has been due longest: its number, body and stage."""
        with self._looking() as db:
            found = db.execute(
                "SELECT id, body, stage FROM puzzles WHERE person = ? AND due <= ? ORDER BY due, id LIMIT 1",
                (person, now),
            ).fetchone()
        return None if found is None else (int(found[0]), bytes(found[1]), int(found[2]))

    def puzzle(self, number: int, person: str) -> tuple[bytes, int] | None:
        """A puzzle's body and stage."""
        with self._looking() as db:
            found = db.execute(
                "SELECT body, stage FROM puzzles WHERE id = ? AND person = ?", (number, person)
            ).fetchone()
        return None if found is None else (bytes(found[0]), int(found[1]))

    def waiting_puzzles(self, person: str) -> int:
        """How many puzzles somebody has, due or not."""
        with self._looking() as db:
            found = db.execute("SELECT COUNT(*) FROM puzzles WHERE person = ?", (person,)).fetchone()
        return int(found[0])

    def schedule_puzzle(self, number: int, stage: int, due: float) -> None:
        """Say when a puzzle comes back."""
        with self._writing() as db:
            db.execute("UPDATE puzzles SET stage = ?, due = ? WHERE id = ?", (stage, due, number))
