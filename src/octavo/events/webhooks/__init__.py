"""Webhooks: addresses that are told when content changes, in v4's words, through the outbox."""
