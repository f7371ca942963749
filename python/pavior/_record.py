# SPDX-License-Identifier: BSD-3-Clause
"""Records: the JSON of a report as an object with attributes, `to_dict()` and a readable notebook form."""

from __future__ import annotations

import keyword
from typing import Any, Iterator


def _name(key):
    name = "".join(c if c.isalnum() else "_" for c in key)
    return name + "_" if keyword.iskeyword(name) or not name.isidentifier() else name


def _wrapped(value):
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrapped(v) for v in value]
    return value


class Record:
    """A report. `record.key` and `record["key"]` read a value, `to_dict()` gives plain dicts and lists."""

    def __init__(self, values: dict[str, Any], text: str | None = None):
        self._values = values
        self._text = text
        self._names = {_name(key): key for key in values}

    @classmethod
    def of_json(cls, source: str, text: str | None = None) -> Record:
        """A record of one JSON object; `text` is its readable form."""
        import json

        return cls(json.loads(source), text)

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("_names", {})
        if name in names:
            return _wrapped(self._values[names[name]])
        raise AttributeError(f"this report has no '{name}'; it has {', '.join(sorted(names))}")

    def __getitem__(self, key: str) -> Any:
        """A value by its key in the JSON."""
        return _wrapped(self._values[key])

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self):
        return sorted([*super().__dir__(), *self._names])

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and strings."""
        return self._values

    def __str__(self):
        import json

        return self._text if self._text is not None else json.dumps(self._values, indent=2)

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        import html

        if self._text is not None:
            return f"<pre>{html.escape(self._text)}</pre>"
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(str(key))}</th>"
            f"<td style='text-align:left'><pre style='margin:0'>{html.escape(_short(value))}</pre></td></tr>"
            for key, value in self._values.items()
        )
        return f"<table>{rows}</table>"


def _short(value):
    import json

    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 400 else text[:400] + " ..."
