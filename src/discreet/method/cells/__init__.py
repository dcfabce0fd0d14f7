"""Methods that protect single cells: one table in the making, and what each change does to the counts."""
