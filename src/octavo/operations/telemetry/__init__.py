"""What a service tells of itself: requests, statements, pool, caches, loop, memory; joined over its workers."""
