"""What several tests share: plain twins of compiled code, random inputs, a browser, a server.

`ROOT` is the folder of the project, `DATA` that of the files with recorded numbers.
"""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "tests" / "data"
