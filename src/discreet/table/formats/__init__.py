"""The forms of files: CSV and its dialects."""
