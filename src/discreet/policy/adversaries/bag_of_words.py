"""Who reads the words of released texts."""

from __future__ import annotations

from typing import ClassVar

from discreet.policy.adversaries.base import Adversary


class BagOfWords(Adversary):
    """An adversary who counts which words stand in the predictors' texts of rows with a known class.

    Of the predictors that are free text, or of all of them where none is.

    Examples
    --------
    >>> BagOfWords().name
    'bag_of_words'
    """

    names: ClassVar[tuple[str, ...]] = ("bag_of_words",)
    unbounded: ClassVar[str] = (
        "reads every word of a text by itself, and blind protection tells or hides texts as a whole; of all "
        "adversaries only naive_bayes, without options, can be a reference"
    )

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "bag_of_words"
