"""The endpoints of the admin API, a module for each area."""
