"""Who may: actors, what they are permitted, and the walkers that remove what an actor may not touch."""
