"""How docstrings become Markdown for the API reference (an extension of griffe, named in mkdocs.yml).

Examples with ``>>>`` become code blocks, Sphinx roles such as ``:class:`Deal` `` become plain code, and special methods
and long values are left out.
"""

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|meth|func|mod|attr|data):`~?([^`]+)`")
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.M)

LONG = 100
"""Values of attributes that are longer than this are not shown."""


class Docstrings(griffe.Extension):
    """Rewrites docstrings and removes special methods and long values as modules are loaded."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            text = ROLE.sub(r"`\1`", obj.docstring.value)
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", text)

    def on_class_members(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        for name in [name for name in cls.members if name.startswith("__") and name != "__init__"]:
            del cls.members[name]

    def on_attribute(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        if attr.value is not None and len(str(attr.value)) > LONG:
            attr.value = None
