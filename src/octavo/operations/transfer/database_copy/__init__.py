"""A project's database copied to another one, of whatever kind."""
