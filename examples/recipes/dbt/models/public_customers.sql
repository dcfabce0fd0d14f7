-- Public: the release, and nothing else.
select * from read_parquet('public/customers.parquet')
