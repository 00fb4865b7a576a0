"""Customization of the GraphQL schema by project code."""
