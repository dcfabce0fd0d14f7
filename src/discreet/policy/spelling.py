"""Words as they must be written in a policy."""

from __future__ import annotations

import re

from discreet.common.printable import json_text

_PLAIN = re.compile(r"[A-Za-z_]([\w ./-]*\w)?", re.ASCII)
_WORDS = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")


def yaml_name(name: str) -> str:
    """Return a column or file name as it must be written in YAML.

    >>> print(yaml_name("native-country"), yaml_name("no"), yaml_name("Kosten (EUR)"))
    native-country "no" "Kosten (EUR)"
    """
    return name if _PLAIN.fullmatch(name) and name.lower() not in _WORDS else json_text(name)
