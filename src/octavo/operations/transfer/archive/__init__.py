"""Archives of `strapi export`: tar, optionally compressed and encrypted, with JSON lines and uploaded files."""
