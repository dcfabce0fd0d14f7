#!/usr/bin/env bash
# Installs discreet from its own checkout into a folder that is gone with the job, in the versions that were tested.
# DISCREET_SOURCE: the checkout; DISCREET_EXTRAS: extras, with commas between; RUNNER_TEMP: the folder.
set -euo pipefail
extras=${DISCREET_EXTRAS:-}
if [[ ! $extras =~ ^[a-z]*(,[a-z]+)*$ ]]; then
  echo "::error title=discreet::extras: write names with commas between, such as excel,stats"
  exit 2
fi
python -m venv "$RUNNER_TEMP/discreet"
if [ -d "$RUNNER_TEMP/discreet/Scripts" ]; then bin=$RUNNER_TEMP/discreet/Scripts; else bin=$RUNNER_TEMP/discreet/bin; fi
"$bin/python" -m pip install --quiet --disable-pip-version-check -c "$DISCREET_SOURCE/constraints.txt" \
  "$DISCREET_SOURCE${extras:+[$extras]}"
"$bin/discreet" --version
