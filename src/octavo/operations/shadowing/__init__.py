"""`octavo shadow`: a proxy for the old service that also sends reads to the new one and compares the responses."""
