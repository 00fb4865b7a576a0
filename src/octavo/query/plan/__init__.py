"""Query plans: resolved names and typed values. Independent of SQL syntax and of the caller."""
