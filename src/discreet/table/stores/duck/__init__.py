"""Tables by DuckDB."""
