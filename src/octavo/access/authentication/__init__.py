"""Authentication: turn credentials into an actor. Passwords, tokens, sessions and their rate limits."""
