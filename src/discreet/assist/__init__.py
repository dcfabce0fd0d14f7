"""Help for the owner: checks, drafts, taxonomies, previews, and how much can be told at which threshold."""
