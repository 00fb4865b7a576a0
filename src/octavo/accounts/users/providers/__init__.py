"""Sign-ins by providers: OAuth 2 and OpenID Connect."""
