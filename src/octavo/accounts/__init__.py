"""Accounts: the site's users and the administrators."""
