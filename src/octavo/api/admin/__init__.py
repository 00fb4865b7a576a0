"""The administrators' door: logging in and out. The management API comes here."""
