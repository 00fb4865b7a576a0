"""Writes that are prepared by the shape of their body: what is the same for all bodies of a shape is done once."""
