"""What every room uses: files, texts, shares, chance of being right, compiled loops."""
