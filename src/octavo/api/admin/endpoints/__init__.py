"""The administrators' API, a module for each area."""
