"""Ways to guess a hidden value: each is trained on what was released."""
