"""Prepared writes: bodies with the same shape reuse validated and compiled statements."""
