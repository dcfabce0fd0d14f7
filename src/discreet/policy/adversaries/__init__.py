"""Who may try to guess a confidential cell: one module each, each with a line here; how they guess: `adversary/`."""

from discreet.policy.adversaries.bag_of_words import BagOfWords
from discreet.policy.adversaries.base import Adversary, register
from discreet.policy.adversaries.bayesian_network import BayesianNetwork
from discreet.policy.adversaries.c45 import C45
from discreet.policy.adversaries.id3 import Id3
from discreet.policy.adversaries.learner import Learner
from discreet.policy.adversaries.naive_bayes import NaiveBayes
from discreet.policy.adversaries.rules import MOST_CONDITIONS, Rules, too_many_conditions

for _kind in (
    NaiveBayes,
    Id3,
    C45,
    BayesianNetwork,
    BagOfWords,
    Rules,
    Learner,
):  # in the order in which people are told of them
    register(_kind)

__all__ = [
    "C45",
    "MOST_CONDITIONS",
    "Adversary",
    "BagOfWords",
    "BayesianNetwork",
    "Id3",
    "Learner",
    "NaiveBayes",
    "Rules",
    "too_many_conditions",
]
