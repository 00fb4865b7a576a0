"""Authorization: actors, their permissions, and sanitizers that remove what an actor has no permission for."""
