"""Bodies of webhooks by origin: what the reference sends, and what Octavo sends under profile `v4`."""
