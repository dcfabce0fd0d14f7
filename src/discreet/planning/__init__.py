"""From a bound policy and counts to a plan."""
