"""Translate common patterns of a v4 project's JavaScript to Python drafts for review."""
