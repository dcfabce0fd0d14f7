"""Tables by streaming Polars."""
