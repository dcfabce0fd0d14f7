"""How plans are found. Methods see encoded, counted arrays only: no files, no engines, no policy text."""
