"""The users of the content API (v4's users-permissions): accounts, roles, sessions."""
