"""How texts of a tier file are written in YAML, so that every reader gets them back."""

from __future__ import annotations

import yaml


class Dumper(yaml.SafeDumper):
    """Escapes what PyYAML would write as a line break and read back as a space."""


_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "inf", "nan"})


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = None if value.isprintable() else '"'
    if style is None and (value[:1] in "+-.0123456789" or value.casefold() in _WORDS):
        style = "'"  # a number or truth value in YAML 1.1 or 1.2, if written plain
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


Dumper.add_representer(str, _represent_text)
