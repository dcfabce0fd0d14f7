"""What all searches over groups share: problems, spaces, targets, gain and loss."""
