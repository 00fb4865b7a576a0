"""Convert request bodies to database rows."""
