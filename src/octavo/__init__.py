"""Octavo: a headless content service that serves content-types over REST and GraphQL."""

__version__ = "0.1.0"
