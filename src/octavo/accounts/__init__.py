"""Accounts: users of the content API, and administrators."""
