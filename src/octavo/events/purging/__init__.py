"""CDN purging: tag responses, and purge those that a change makes outdated."""
