"""SQL generation: statement text and parameters, without a connection."""
