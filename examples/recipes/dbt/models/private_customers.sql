-- Private: goes to a file that dbt's readers have no right to, not into the database.
{{ config(materialized='external', location='private/customers.parquet') }}
select "Job", "Country", "Child", "Bankruptcy", "Rating"
from {{ ref('bank') }}
