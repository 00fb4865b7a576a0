"""Locales, and the localizations of entries."""
