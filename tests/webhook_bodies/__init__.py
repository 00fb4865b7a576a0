"""Bodies of webhooks by origin: those of v4, and those of Octavo under profile `v4`."""
