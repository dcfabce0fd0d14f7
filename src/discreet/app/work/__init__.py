"""Processes beside the server: nothing that takes long is done where requests are answered."""
