"""Metrics and traces: requests, statements, pool, caches, event loop, memory; merged over workers."""
