"""The query AST and its compilation to SQL, shared by every API. Names are unresolved and values are unparsed here."""
