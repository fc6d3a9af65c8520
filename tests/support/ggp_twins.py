"""Our games once more as plain Python, written without a look at the GDL: what the GDL is compared with.

A game has `start`, and for a position: `facts` (as the GDL would say them), `moves` of the side to move, `play`, and
`result`, which is None while the game goes on and else the goal of the first and the second player.
"""

from __future__ import annotations

from typing import Any, ClassVar

Board = tuple[int, ...]
"""0 for empty, 1 and 2 for the players, row by row."""


class Grid:
    """A board game for two: a position is (board, side to move: 1 or 2)."""

    rows = columns = 3
    names = ("x", "o")
    piece = "marked"

    @property
    def start(self) -> Any:
        return (0,) * (self.rows * self.columns), 1

    def point(self, number: int) -> tuple[str, ...]:
        return str(number // self.columns + 1), str(number % self.columns + 1)

    def facts(self, position: Any) -> set[Any]:
        board, side = position[:2]
        stones = {(self.piece, *self.point(n), self.names[who - 1]) for n, who in enumerate(board) if who}
        return stones | {("turn", self.names[side - 1])}

    def lines(self, length: int) -> list[list[int]]:
        found = []
        for row in range(self.rows):
            for column in range(self.columns):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    points = [(row + i * down, column + i * right) for i in range(length)]
                    if all(0 <= r < self.rows and 0 <= c < self.columns for r, c in points):
                        found.append([r * self.columns + c for r, c in points])
        return found

    def near(self, number: int) -> list[int]:
        row, column = divmod(number, self.columns)
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [r * self.columns + c for r, c in around if 0 <= r < self.rows and 0 <= c < self.columns]


class InARow(Grid):
    """Tic-tac-toe and its relatives with gravity."""

    def __init__(self, rows: int, columns: int, length: int, gravity: bool) -> None:
        self.rows, self.columns, self.gravity = rows, columns, gravity
        self.winning = self.lines(length)
        if gravity:
            self.names, self.piece = ("red", "yellow"), "disc"

    def point(self, number: int) -> tuple[str, ...]:
        """With gravity the column comes first, and rows count from below: row 0 here is the bottom."""
        row, column = super().point(number)
        return (column, row) if self.gravity else (row, column)

    def result(self, position: Any) -> Any:
        board, _ = position
        for line in self.winning:
            if board[line[0]] and len({board[n] for n in line}) == 1:
                return (100, 0) if board[line[0]] == 1 else (0, 100)
        return None if 0 in board else (50, 50)

    def moves(self, position: Any) -> dict[Any, Any]:
        board, side = position
        found = {}
        for number, who in enumerate(board):
            if who == 0 and not (self.gravity and number >= self.columns and board[number - self.columns] == 0):
                name = ("drop", self.point(number)[0]) if self.gravity else ("mark", *self.point(number))
                found[name] = ((*board[:number], side, *board[number + 1 :]), 3 - side)
        return found


class Scored(InARow):
    """Tic-tac-toe in which a diagonal is worth more."""

    def result(self, position: Any) -> Any:
        board, _ = position
        made = [line for line in self.winning if board[line[0]] and len({board[n] for n in line}) == 1]
        if not made:
            return None if 0 in board else (40, 40)
        goals = (100, 0) if any(line in ([0, 4, 8], [2, 4, 6]) for line in made) else (80, 20)
        return goals if board[made[0][0]] == 1 else goals[::-1]


class Othello(Grid):
    names, piece = ("black", "white"), "disc"

    def __init__(self, size: int) -> None:
        self.rows = self.columns = size

    @property
    def start(self) -> Any:
        board = [0] * self.rows**2
        low, high = self.rows // 2 - 1, self.rows // 2
        board[low * self.rows + low] = board[high * self.rows + high] = 2
        board[low * self.rows + high] = board[high * self.rows + low] = 1
        return tuple(board), 1

    def turned(self, board: Board, number: int, side: int) -> set[int]:
        found: set[int] = set()
        if board[number]:
            return found
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                row, column = divmod(number, self.columns)
                run = []
                while down or right:
                    row, column = row + down, column + right
                    if not (0 <= row < self.rows and 0 <= column < self.columns):
                        break
                    here = row * self.columns + column
                    if board[here] == 3 - side:
                        run.append(here)
                        continue
                    if board[here] == side:
                        found.update(run)
                    break
        return found

    def placings(self, board: Board, side: int) -> dict[Any, Any]:
        found = {}
        for number in range(len(board)):
            turned = self.turned(board, number, side)
            if turned:
                after = tuple(side if n == number or n in turned else who for n, who in enumerate(board))
                found["place", *self.point(number)] = (after, 3 - side)
        return found

    def moves(self, position: Any) -> dict[Any, Any]:
        board, side = position
        return self.placings(board, side) or {"pass": (board, 3 - side)}

    def result(self, position: Any) -> Any:
        board, _ = position
        if self.placings(board, 1) or self.placings(board, 2):
            return None
        lead = board.count(1) - board.count(2)
        return (100, 0) if lead > 0 else (0, 100) if lead < 0 else (50, 50)


class CaptureGo(Grid):
    """A position has a third part: who captured, or 0."""

    names, piece = ("black", "white"), "stone"

    def __init__(self, suicide: bool) -> None:
        self.suicide = suicide

    @property
    def start(self) -> Any:
        return (0,) * 9, 1, 0

    def facts(self, position: Any) -> set[Any]:
        captured = position[2]
        return super().facts(position) | ({("captured", self.names[captured - 1])} if captured else set())

    def has_liberty(self, board: Board, number: int) -> bool:
        group, waiting = {number}, [number]
        while waiting:
            for other in self.near(waiting.pop()):
                if board[other] == 0:
                    return True
                if board[other] == board[number] and other not in group:
                    group.add(other)
                    waiting.append(other)
        return False

    def placings(self, board: Board, side: int) -> dict[Any, Any]:
        found = {}
        for number, who in enumerate(board):
            if who:
                continue
            after = (*board[:number], side, *board[number + 1 :])
            takes = any(after[n] == 3 - side and not self.has_liberty(after, n) for n in self.near(number))
            dies = not takes and not self.has_liberty(after, number)
            if not dies or self.suicide:
                captured = side if takes else 3 - side if dies else 0
                found["place", *self.point(number)] = (after, 3 - side, captured)
        return found

    def moves(self, position: Any) -> dict[Any, Any]:
        board, side, _ = position
        return self.placings(board, side) or {"pass": (board, 3 - side, 0)}

    def result(self, position: Any) -> Any:
        board, _, captured = position
        if captured:
            return (100, 0) if captured == 1 else (0, 100)
        if self.placings(board, 1) or self.placings(board, 2):
            return None
        lead = self.territory(board, 1) - self.territory(board, 2)
        return (100, 0) if lead > 0 else (0, 100) if lead < 0 else (50, 50)

    def territory(self, board: Board, side: int) -> int:
        total = board.count(side)
        for number, who in enumerate(board):
            if who == 0:
                region, waiting, borders = {number}, [number], set()
                while waiting:
                    for other in self.near(waiting.pop()):
                        if board[other]:
                            borders.add(board[other])
                        elif other not in region:
                            region.add(other)
                            waiting.append(other)
                total += borders == {side}
        return total


class Breakthrough(Grid):
    names, piece = ("white", "black"), "piece"

    def __init__(self, size: int) -> None:
        self.rows = self.columns = size

    @property
    def start(self) -> Any:
        two_rows = 2 * self.columns
        return (1,) * two_rows + (0,) * (self.rows * self.columns - 2 * two_rows) + (2,) * two_rows, 1

    def moves(self, position: Any) -> dict[Any, Any]:
        board, side = position
        found = {}
        for number, who in enumerate(board):
            row, column = divmod(number, self.columns)
            ahead = row + (1 if side == 1 else -1)
            for across in (column - 1, column, column + 1):
                if who != side or not (0 <= ahead < self.rows and 0 <= across < self.columns):
                    continue
                target = self.columns * ahead + across
                if board[target] == 0 or (board[target] == 3 - side and across != column):
                    after = list(board)
                    after[number], after[target] = 0, side
                    found["move", *self.point(number), *self.point(target)] = (tuple(after), 3 - side)
        return found

    def result(self, position: Any) -> Any:
        board, _ = position
        if 1 in board[-self.columns :] or 2 not in board:
            return 100, 0
        return (0, 100) if 2 in board[: self.columns] or 1 not in board else None


class KingHunt(Grid):
    """A position is (board of letters, side to move, moves made); white has capitals and begins on the first row."""

    rows = columns = 8
    names = ("white", "black")
    kinds: ClassVar = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
    straight = ((1, 0), (-1, 0), (0, 1), (0, -1))
    slanted = ((1, 1), (1, -1), (-1, 1), (-1, -1))
    leaps = ((1, 2), (1, -2), (-1, 2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1))
    rays: ClassVar = {"b": slanted, "r": straight, "q": straight + slanted}

    @property
    def start(self) -> Any:
        return "RNBQKBNR" + "P" * 8 + "." * 32 + "p" * 8 + "rnbqkbnr", 1, 0

    def side_of(self, piece: str) -> int:
        return 0 if piece == "." else 1 if piece.isupper() else 2

    def facts(self, position: Any) -> set[Any]:
        board, side, moved = position
        found: set[Any] = {("turn", self.names[side - 1]), ("moved", str(moved))}
        for number, piece in enumerate(board):
            if piece != ".":
                name = self.names[self.side_of(piece) - 1]
                found.add(("piece", *self.point(number), self.kinds[piece.lower()], name))
        return found

    def targets(self, board: str, number: int) -> list[int]:
        piece, side = board[number].lower(), self.side_of(board[number])
        row, column = divmod(number, 8)

        def at(down: int, right: int) -> int:
            inside = 0 <= row + down < 8 and 0 <= column + right < 8
            return number + 8 * down + right if inside else -1

        found = []
        if piece == "p":
            ahead = 1 if side == 1 else -1
            if at(ahead, 0) >= 0 and board[at(ahead, 0)] == ".":
                found.append(at(ahead, 0))
            found += [at(ahead, right) for right in (1, -1) if self.is_enemy(board, at(ahead, right), side)]
        elif piece in "nk":
            steps = self.leaps if piece == "n" else self.straight + self.slanted
            found = [at(*step) for step in steps if at(*step) >= 0]
        else:
            for down, right in self.rays[piece]:
                for length in range(1, 8):
                    here = at(length * down, length * right)
                    if here < 0:
                        break
                    found.append(here)
                    if board[here] != ".":
                        break
        return [here for here in found if self.side_of(board[here]) != side]

    def is_enemy(self, board: str, number: int, side: int) -> bool:
        return number >= 0 and self.side_of(board[number]) == 3 - side

    def moves(self, position: Any) -> dict[Any, Any]:
        board, side, moved = position
        found = {}
        for number, piece in enumerate(board):
            if self.side_of(piece) == side:
                for target in self.targets(board, number):
                    after = list(board)
                    after[number] = "."
                    crowned = piece in "Pp" and target // 8 in (0, 7)
                    after[target] = ("Q" if piece == "P" else "q") if crowned else piece
                    found["move", *self.point(number), *self.point(target)] = ("".join(after), 3 - side, moved + 1)
        return found

    def result(self, position: Any) -> Any:
        board, _, moved = position
        if "k" not in board:
            return 100, 0
        if "K" not in board:
            return 0, 100
        return (50, 50) if moved == 120 or not self.moves(position) else None


class Nim:
    """A position is (heaps, side to move)."""

    start = ((1, 3, 5, 7), 1)
    names = ("first", "second")

    def facts(self, position: Any) -> set[Any]:
        heaps, side = position
        return {("holds", name, str(size)) for name, size in zip("abcd", heaps, strict=True)} | {
            ("turn", self.names[side - 1])
        }

    def moves(self, position: Any) -> dict[Any, Any]:
        heaps, side = position
        found = {}
        for place, size in enumerate(heaps):
            for rest in range(size):
                after = (*heaps[:place], rest, *heaps[place + 1 :])
                found["leave", "abcd"[place], str(rest)] = (after, 3 - side)
        return found

    def result(self, position: Any) -> Any:
        heaps, side = position
        if any(heaps):
            return None
        return (0, 100) if side == 1 else (100, 0)


TWINS: dict[str, Any] = {
    "tictactoe": InARow(3, 3, 3, gravity=False),
    "tictactoe-scored": Scored(3, 3, 3, gravity=False),
    "connect3": InARow(5, 5, 3, gravity=True),
    "connect4": InARow(6, 7, 4, gravity=True),
    "othello4": Othello(4),
    "othello6": Othello(6),
    "capturego": CaptureGo(suicide=False),
    "capturego-suicide": CaptureGo(suicide=True),
    "breakthrough": Breakthrough(5),
    "breakthrough8": Breakthrough(8),
    "kinghunt": KingHunt(),
    "nim": Nim(),
}
