"""Records of deals: reading, writing and replaying files of deals. The format is specified in docs/records.md.

In reading order:

| module | what it holds |
|---|---|
| `format` | a record as a value, its checks, and how it is written |
| `reader` | parsing the text form, JSON Lines and OpenSpiel histories |
| `replay` | reading files as deals, and showing them on a terminal |
| `position` | one decision of a recorded deal |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartlab.records.format import DealRecord, RecordError, to_json, to_openspiel, to_text, write_text
from heartlab.records.reader import from_json, parse_openspiel, read_records
from heartlab.util.lazy import lazy_names

if TYPE_CHECKING:
    from heartlab.records.replay import load_deals

__all__ = [
    "DealRecord",
    "RecordError",
    "from_json",
    "load_deals",
    "parse_openspiel",
    "read_records",
    "to_json",
    "to_openspiel",
    "to_text",
    "write_text",
]

__getattr__ = lazy_names(__name__, {"load_deals": "heartlab.records.replay"})
