"""Requests of our own to other machines."""
