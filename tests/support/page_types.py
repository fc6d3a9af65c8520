"""The protocol as TypeScript types for the type check of the page; run as a program, this file writes them."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from heartlab.web.messages import Incoming, Outgoing
from support import ROOT

FILE = ROOT / "src" / "heartlab" / "web" / "protocol.d.ts"
PLAIN = {
    msgspec.inspect.IntType: "number",
    msgspec.inspect.FloatType: "number",
    msgspec.inspect.StrType: "string",
    msgspec.inspect.BoolType: "boolean",
    msgspec.inspect.NoneType: "null",
    msgspec.inspect.AnyType: "any",
}


def type_of(info: Any, found: dict[str, Any]) -> str:
    """A type of msgspec in TypeScript; structs are collected by name."""
    match info:
        case msgspec.inspect.Metadata():
            return type_of(info.type, found)
        case msgspec.inspect.LiteralType():
            return " | ".join(f'"{value}"' for value in sorted(info.values))
        case msgspec.inspect.UnionType():
            return " | ".join(type_of(part, found) for part in info.types)
        case msgspec.inspect.ListType():
            inner = type_of(info.item_type, found)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case msgspec.inspect.TupleType():
            return f"[{', '.join(type_of(part, found) for part in info.item_types)}]"
        case msgspec.inspect.DictType():
            return f"Record<string, {type_of(info.value_type, found)}>"
        case msgspec.inspect.StructType():
            found[info.cls.__name__] = info
            return info.cls.__name__
    return PLAIN[type(info)]


def declared(info: Any, found: dict[str, Any], *, sent: bool) -> str:
    """A struct as an interface; the server sends all of its fields, the page may leave out those with a default."""
    lines = [f'  type: "{info.tag}";'] if info.tag is not None else []
    for field in info.fields:
        unset = not field.required and field.default is field.default_factory  # no default but UNSET
        mark = "?" if unset or not (sent or field.required) else ""
        lines.append(f"  {field.encode_name}{mark}: {type_of(field.type, found)};")
    return "\n".join([f"export interface {info.cls.__name__} {{", *lines, "}"])


def text() -> str:
    """All messages and their parts."""
    parts = ["// Made from the types of the server by tests/support/page_types.py; a test says when it is out of date."]
    done: set[str] = set()
    for kind, union, sent in (("Incoming", Incoming, False), ("Outgoing", Outgoing, True)):
        found: dict[str, Any] = {}
        names = [type_of(msgspec.inspect.type_info(one), found) for one in get_args(union)]
        parts.append(f"export type {kind} =\n  | " + "\n  | ".join(names) + ";")
        while found.keys() - done:
            name = next(name for name in found if name not in done)
            done.add(name)
            parts.append(declared(found[name], found, sent=sent))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
