"""Locales and localizations of entries."""
