"""Outgoing HTTP requests."""
