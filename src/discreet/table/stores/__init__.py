"""Engines for tables larger than memory: counted, recoded and verified where the rows live."""
