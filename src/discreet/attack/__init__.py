"""Attacks on a release: what an adversary gets right, beside what anybody would."""
