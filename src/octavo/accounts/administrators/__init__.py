"""Administrator accounts, roles and tokens, stored in v4's tables."""
