"""The change feed over REST: server-sent events."""
