"""The REST API: parse parameters to Query and bodies to Write, and return entries in envelopes."""
