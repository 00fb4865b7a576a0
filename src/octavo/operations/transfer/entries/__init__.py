"""Entries between rows and the JSON of archives."""
