"""Copies of the database: made, verified, kept for a while, put back."""
