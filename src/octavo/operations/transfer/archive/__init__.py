"""Files of `strapi export`: tar, perhaps compressed, perhaps encrypted; JSON lines in folders, and uploaded files."""
