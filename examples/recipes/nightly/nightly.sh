#!/usr/bin/env bash
# A release of today's table by the plan of an earlier night; by a new plan where that no longer keeps the promises.
#   nightly.sh TABLE POLICY PRIVATE PUBLIC
# Exit codes are discreet's: 0 released and verified, 1 no release keeps the promises, 2 bad input. The last good
# release stays where there is no new one.
set -euo pipefail
table=$1 policy=$2 private=$3 public=$4
mkdir -p "$private" "$public"
chmod 700 "$private"
plan=$private/plan.json release=$public/release.csv

with_the_old_plan() {
  discreet apply "$plan" "$table" --policy "$policy" --out "$release" --force --quiet
}
with_a_new_plan() {
  local fresh=$private/plan.new.json
  discreet protect "$table" --policy "$policy" --out "$release" --plan "$fresh" --force --quiet || return
  if [ -e "$plan" ]; then
    local day
    day=$(date -u +%Y-%m-%dT%H%M%S)
    mv "$plan" "$private/plan.until-$day.json"
    mv "$private/plan.manifest.json" "$private/plan.until-$day.manifest.json"
  fi
  mv "$fresh" "$plan"
  mv "$private/plan.new.manifest.json" "$private/plan.manifest.json"
}

code=1
if [ -e "$plan" ]; then
  code=0
  with_the_old_plan || code=$?
fi
if [ "$code" -eq 1 ]; then # none yet, or its promises do not hold today
  code=0
  with_a_new_plan || code=$?
fi
if [ "$code" -ne 0 ]; then
  echo "no release today (exit code $code); the last one stays" >&2
  exit "$code"
fi
# Once more as anybody could, from the release and the policy alone.
discreet verify "$release" --policy "$policy" --quiet
