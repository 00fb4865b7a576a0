"""Who may: credentials become an actor, and the actor's permissions are asked."""
