"""Writing TOML, as far as run folders need it: the standard library only reads it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def toml_text(values: Mapping[str, Any]) -> str:
    """Plain values, lists of them, and mappings one level deep as TOML; None is left out."""
    lines = [f"{_key(key)} = {_value(value)}" for key, value in values.items() if not _is_table(value)]
    for key, table in values.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{_key(key)}]"]
            lines += [f"{_key(name)} = {_value(value)}" for name, value in table.items() if value is not None]
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return value is None or isinstance(value, Mapping)


def _key(key: str) -> str:
    bare = key and all(char.isascii() and (char.isalnum() or char in "-_") for char in key)
    return key if bare else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    raise TypeError(f"TOML has no form for {value!r}")
