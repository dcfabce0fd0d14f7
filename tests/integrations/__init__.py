"""What runs discreet elsewhere: services, hooks, containers."""
