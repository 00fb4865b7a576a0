"""Who asks: credentials become an actor; passwords, tokens, sessions and the limits on attempts at them."""
