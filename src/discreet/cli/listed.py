"""A listed release verified: what is said of it holds no value of a table, whatever was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from discreet.cli.annotations.base import Remark
from discreet.cli.annotations.found import VerifiedPair
from discreet.cli.release_list import ListedRelease
from discreet.cli.show.verdict import answer_in_plain, passed
from discreet.errors import DiscreetError
from discreet.policy import read_policy
from discreet.table.formats.place import place_of
from discreet.verification.promises import verify
from discreet.writing.plan_file import read_order


@dataclass(frozen=True)
class ListedAnswer:
    """What was found about a release of a list."""

    listed: ListedRelease
    code: int
    """The exit code that `verify` would end with."""
    said: str
    promises: tuple[tuple[int, str, str], ...] = ()
    """Of each promise its position in `protect`, its kind and the answer."""
    remarks: tuple[Remark, ...] = ()

    @property
    def name(self) -> str:
        """What the release is called."""
        return str(place_of(self.listed.release))

    @property
    def line(self) -> str:
        """What a log shows."""
        return f"{'ok' if not self.code else 'FAILED'}: {self.name} ({self.listed.policy}): {self.said}"

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "release": self.name,
            "policy": self.listed.policy,
            "exit_code": self.code,
            "answer": self.said,
            "promises": [{"index": index, "kind": kind, "answer": answer} for index, kind, answer in self.promises],
        }


def verify_listed(listed: ListedRelease) -> ListedAnswer:
    """Return what is found about one release; a file that cannot be used is an answer, too."""
    pair = VerifiedPair(listed.release, listed.policy, listed.partial)
    given = listed.original is not None
    try:
        policy = read_policy(listed.policy)
        order = None if listed.plan is None else read_order(Path(listed.plan))
        found = verify(listed.release, policy, listed.original, order=order, population=listed.population)
    except DiscreetError as error:
        return ListedAnswer(listed, error.exit_code, f"error: {error}", remarks=(pair.failed(str(error)),))
    return ListedAnswer(
        listed,
        0 if passed(found, listed.partial) else 1,
        answer_in_plain(found, with_original=given),
        tuple((finding.index, finding.kind, str(finding.answer)) for finding in found.requirements),
        tuple(pair.remarks(found, policy, with_original=given)),
    )


def exit_code(answers: Sequence[ListedAnswer]) -> int:
    """Return how it ends: with 1 where a promise is broken, whatever else could not be read; else with 2 for that."""
    codes = {answer.code for answer in answers}
    return 1 if 1 in codes else max(codes)


def in_words(answers: Sequence[ListedAnswer]) -> str:
    """Return all of it in one line."""
    failed = sum(answer.code != 0 for answer in answers)
    all_of_them = "1 release" if len(answers) == 1 else f"{len(answers)} releases"
    return f"{all_of_them} verified: {f'{failed} failed' if failed else 'all pass'}."
