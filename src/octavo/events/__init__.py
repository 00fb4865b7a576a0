"""Hooks before and after content changes, and the transactional outbox: messages written with a change, and their
delivery."""
