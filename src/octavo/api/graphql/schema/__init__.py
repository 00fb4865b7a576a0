"""Phase one: the schema that content-types get."""
