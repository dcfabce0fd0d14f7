"""Reports: the owner's page with everything, the public one without any secret."""
