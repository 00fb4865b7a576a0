"""Saying what is read: plans to SELECT."""
