"""Validation of bodies: rules for each attribute type, with Strapi's messages."""
