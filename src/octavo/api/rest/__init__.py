"""The REST door: parameters to Query, bodies to Write, entries to envelopes."""
