"""Webhooks: HTTP notifications of content changes in v4's format, sent through the outbox."""
