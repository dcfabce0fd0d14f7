"""What a release is for: one module a use, each with a line here; what rooms do for it stands in these rooms."""

from discreet.policy.uses.base import PredictingUse, ReleaseUse, register
from discreet.policy.uses.classify import Classify
from discreet.policy.uses.counts import Counts
from discreet.policy.uses.general import General
from discreet.policy.uses.regress import Regress

for _kind in (Classify, Regress, Counts, General):  # in the order in which people are told of them
    register(_kind)

__all__ = ["Classify", "Counts", "General", "PredictingUse", "Regress", "ReleaseUse"]
