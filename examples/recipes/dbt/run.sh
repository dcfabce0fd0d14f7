#!/usr/bin/env bash
# dbt, discreet, dbt. Run it in the folder of the project; what comes after a step that fails is not run.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p private public
chmod 700 private
dbt() { command dbt --quiet "$@" --profiles-dir .; }
dbt seed
dbt run --select tag:private
if [ -e private/plan.json ]; then
  discreet apply private/plan.json private/customers.parquet --policy policy.yaml \
    --out public/customers.parquet --force --quiet
else
  discreet protect private/customers.parquet --policy policy.yaml \
    --out public/customers.parquet --plan private/plan.json --force --quiet
fi
discreet verify public/customers.parquet --policy policy.yaml --original private/customers.parquet --quiet
dbt build --select tag:public
