"""Administrators: their accounts, as v4 keeps them."""
