"""What is done to a table: recodings, groups, masks and edits, and its JSON."""
