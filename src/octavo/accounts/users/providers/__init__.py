"""Sign-in with providers, by OAuth 2 and OpenID Connect."""
