"""How long a newcomer waits: `python docs/make_first_table.py [LEVEL]`, with an empty cache and with a warm one.

Starts `heartlab play` in a process of its own and presses Play, as the page does, once the server says its address.
Tells the seconds to the table, to the first turn after passing, and to the end of the first deal; beside them the
processor time that the server has used by then, which depends less on how busy the computer is.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.web_client import Client


def cpu(pid: int) -> float:
    """Seconds of processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def first_table(folder: str, level: str) -> None:
    """One start of the server, and one deal."""
    command = [sys.executable, "-m", "heartlab.cli", "play", "--port", "0", "--no-browser"]
    command += ["--file", str(Path(folder) / "games.sqlite")]
    begun = time.perf_counter()
    environment = {**os.environ, "HEARTLAB_CACHE": str(Path(folder) / "cache")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as one:
        assert one.stdout is not None
        found = re.search(r"127.0.0.1:(\d+)/#(\S+)", one.stdout.readline())
        assert found
        print(f"  server   {time.perf_counter() - begun:6.1f} s, {cpu(one.pid):6.1f} s of processor time")
        with Client(int(found[1])) as client:
            players = next(one["players"] for one in client.hello["levels"] if one["name"] == level)
            begun = time.perf_counter()
            client.create(found[2], players)
            print(f"  table    {time.perf_counter() - begun:6.1f} s, {cpu(one.pid):6.1f} s")
            client.act()
            print(f"  turn     {time.perf_counter() - begun:6.1f} s, {cpu(one.pid):6.1f} s")
            client.finish_deal()
            print(f"  deal     {time.perf_counter() - begun:6.1f} s, {cpu(one.pid):6.1f} s")
        one.terminate()


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else "casual"
    with tempfile.TemporaryDirectory() as home:
        for state in ("cold", "warm"):
            print(f"{wanted}, {state}", flush=True)
            first_table(home, wanted)
