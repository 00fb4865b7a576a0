"""Caches in front: how answers are named there, and how what has changed is taken out of them."""
