#!/usr/bin/env bash
# Verifies the releases of a list; exit codes are those of `discreet verify-all`.
# DISCREET_RELEASES: the list itself as YAML; where that is empty, DISCREET_LIST: the name of its file.
# RUNNER_TEMP: where install.sh has put discreet; without it, the one on the PATH is taken.
set -euo pipefail
for bin in "${RUNNER_TEMP:-}/discreet/bin" "${RUNNER_TEMP:-}/discreet/Scripts"; do
  if [ -d "$bin" ]; then PATH=$bin:$PATH; fi
done
if [ -n "${DISCREET_RELEASES:-}" ]; then
  printf '%s\n' "$DISCREET_RELEASES" | discreet verify-all --annotations github -- -
else
  discreet verify-all --annotations github -- "${DISCREET_LIST:-releases.yaml}"
fi
