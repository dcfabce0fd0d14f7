"""From plain data to a policy, with every mistake at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import ValidationError

from discreet.errors import PolicyError, Problem
from discreet.policy.mistakes import problems_of
from discreet.policy.places import PolicySource

if TYPE_CHECKING:
    from discreet.policy.model import Policy


def build_policy(
    model: type[Policy], data: object, source: PolicySource, mistakes: list[Problem] | None = None
) -> Policy:
    """Return the policy written down as plain data; raise `PolicyError` with every mistake in it."""
    problems = list(mistakes or [])
    if not isinstance(data, Mapping):
        fix = "a policy has fields: at least 'protect', usually 'use'"
        raise PolicyError([*problems, source.problem((), fix)])
    try:
        policy = model.model_validate(data, context={"folder": source.folder})
    except ValidationError as error:
        problems += problems_of(error, model, source)
    if problems:
        raise PolicyError(sorted(problems, key=lambda problem: problem.line or 0))
    return policy.with_source(source)
