"""The process in which a match is played, so that it can be ended whatever the rules of the game make it do.

`python -m heartlab.ggp.protocol.worker SETUP` loads a player, lets it choose once so that everything is compiled, and
says that it is ready. Then it is the worker itself, over its standard input and output; or, with the number of a socket
as second argument, a nursery: it forks a worker for every socket that is sent to it. Forked workers begin at once and
share the memory of what is loaded.

A worker leads a process group of its own, to which clingo belongs, too. It ends when its connection does.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.players.registry import make_game_player
from heartlab.ggp.protocol import frames
from heartlab.ggp.protocol.agent import Agent
from heartlab.ggp.protocol.matches import warm_up
from heartlab.ggp.protocol.messages import BUSY, ProtocolError
from heartlab.util.userfile import use_file

FORK, BURY = b"F", b"B"
"""What a nursery is asked: to fork a worker, and to reap one (by its process id) that has ended."""
PID = 8
"""Bytes of a process id."""
LEAVE_SECONDS = 10.0
"""Seconds that a worker has to save what it learned and exit."""
BURIAL = 0.05
"""Seconds between two checks whether a killed worker is gone."""


def main(arguments: list[str]) -> None:
    """Load the player, then be a worker or a nursery."""
    setup = msgspec.json.decode(arguments[0], type=frames.Setup)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if len(arguments) > 1:
        control = socket.socket(fileno=int(arguments[1]))
        channel = _channel(control)
    else:
        channel = frames.Channel(cast(BinaryIO, sys.stdin.buffer), os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what a player prints must not come between the frames
    try:
        for path in setup.used:
            use_file(Path(path))
        player = make_game_player(setup.player)
        warm_up(setup.player)
        frame: frames.Ready | frames.Unable = frames.Ready(player.name, player.learns)
    except (GdlError, ValueError, OSError) as error:
        frame = frames.Unable(str(error))
    try:
        channel.write(frame)
    except OSError:  # the server is gone
        return
    if isinstance(frame, frames.Unable):
        return
    if len(arguments) == 1:
        serve(channel, player, setup)
    else:
        _nurse(control, player, setup)


def _channel(connection: socket.socket) -> frames.Channel:
    return frames.Channel(connection.makefile("rb"), connection.makefile("wb"))


# The worker


def serve(channel: frames.Channel, player: GamePlayer, setup: frames.Setup) -> None:
    """Answer questions until there are no more, or memory is over, and save; every question has a thread."""
    with contextlib.suppress(MemoryError, RuntimeError, GdlError):
        begin = channel.read_question()
        if isinstance(begin, frames.Begin):
            _limit_memory(setup.megabytes)
            first = player.after_crash() if begin.after_crash else player
            agent = Agent(first.successor, player.name, first.close, begin.seed, setup.strict, setup.megabytes)
            while isinstance(question := channel.read_question(), frames.Ask | frames.Resume):
                threading.Thread(target=_answer, args=(channel, agent, question), daemon=True).start()
            watch = threading.Timer(LEAVE_SECONDS, _exit)  # a thread that hangs may have what is to be saved
            watch.daemon = True
            watch.start()
            agent.close()
    _exit()


def _answer(channel: frames.Channel, agent: Agent, question: frames.Ask | frames.Resume) -> None:
    number = question.number
    answer: frames.Reply
    try:
        if isinstance(question, frames.Resume):
            answer = frames.Answer(number, "" if agent.resume(question.start, question.turns) else BUSY)
        else:
            text = agent.answer(
                question.text, lambda move: channel.write(frames.Offer(number, move)), seconds=question.seconds
            )
            answer = frames.Answer(number, text)
    except ProtocolError as error:
        answer = frames.Refusal(number, str(error)[:300])
    except BaseException as error:  # whatever it is, the server has to know
        answer = frames.Failure(number, f"{type(error).__name__}: {error}"[:300])
    with contextlib.suppress(OSError):  # the server is gone: the main thread will see it, and save
        channel.write(answer)


def _limit_memory(megabytes: int) -> None:
    """Limit what this process may allocate from now on, where the system knows how (Linux)."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, AttributeError, OSError, ValueError):
        return


def _exit() -> None:
    """End this process and those that it started; its threads cannot be waited for."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


# The nursery


def _nurse(control: socket.socket, player: GamePlayer, setup: frames.Setup) -> None:
    """Fork workers on demand. The server decides when one that ended is reaped, which frees its process id."""
    gc.collect()
    gc.freeze()
    ended: set[int] = set()
    while True:
        control.settimeout(BURIAL if ended else None)
        try:
            order, sockets, _, _ = socket.recv_fds(control, 1 + PID, 1)
        except TimeoutError:
            ended -= {worker for worker in ended if _is_over(worker)}
            continue
        if len(order) < 1 + PID:
            return
        if order[:1] == BURY:
            ended.add(int.from_bytes(order[1:], "big"))
        else:
            worker = os.fork()
            if worker == 0:
                _become_worker(control, sockets[0], player, setup)
            os.close(sockets[0])
            control.sendall(worker.to_bytes(PID, "big"))
        ended -= {worker for worker in ended if _is_over(worker)}


def _become_worker(control: socket.socket, connection: int, player: GamePlayer, setup: frames.Setup) -> None:
    try:
        control.close()
        os.setsid()
        serve(_channel(socket.socket(fileno=connection)), player, setup)
    finally:
        os._exit(1)


def _is_over(worker: int) -> bool:
    try:
        return os.waitpid(worker, os.WNOHANG)[0] == worker
    except ChildProcessError:
        return True


if __name__ == "__main__":
    main(sys.argv[1:])
