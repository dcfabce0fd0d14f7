"""What the services read of a job's output: GitHub's commands, by the rules of its runner, and GitLab's report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

COMMANDS = {"error", "warning", "notice", "debug", "add-mask", "set-output", "set-env", "add-path", "stop-commands",
            "group", "endgroup", "save-state", "echo", "add-matcher", "remove-matcher"}  # fmt: skip


@dataclass(frozen=True)
class WorkflowCommand:
    name: str
    properties: dict[str, str]
    message: str


def commands(output: str) -> list[WorkflowCommand]:
    """The commands that a runner would obey in what a step prints (both streams)."""
    lines = output.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [command for line in lines if (command := _new(line) or _old(line))]


def _new(line: str) -> WorkflowCommand | None:
    """`::name key=value,key=value::message`, blanks before it aside."""
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, said = line[2:end].partition(" ")
    pairs = [pair.split("=", 1) for pair in said.split(",") if "=" in pair]
    found = {key: _unescaped(value, {"%3A": ":", "%2C": ","}) for key, value in pairs}
    return WorkflowCommand(name, found, _unescaped(line[end + 2 :], {})) if name in COMMANDS else None


def _old(line: str) -> WorkflowCommand | None:
    """`##[name key=value;key=value]message`, anywhere in a line."""
    at = line.find("##[")
    end = line.find("]", at)
    if at < 0 or end < 0:
        return None
    name = line[at + 3 : end].partition(" ")[0]
    return WorkflowCommand(name, {}, line[end + 1 :]) if name in COMMANDS else None


def _unescaped(text: str, more: dict[str, str]) -> str:
    for sign, meant in {"%0D": "\r", "%0A": "\n", **more, "%25": "%"}.items():
        text = text.replace(sign, meant)
    return text


def check_report(report: Any) -> None:
    """What GitLab wants of an entry of a report about the quality of code."""
    assert isinstance(report, list)
    for entry in report:
        assert {"description", "check_name", "fingerprint", "severity", "location"} == set(entry)
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert isinstance(entry["location"]["path"], str)
        assert not entry["location"]["path"].startswith(("/", "./"))
        assert isinstance(entry["location"]["lines"]["begin"], int)
    assert len({entry["fingerprint"] for entry in report}) == len(report)
