"""The feed of changes over REST: server-sent events."""
