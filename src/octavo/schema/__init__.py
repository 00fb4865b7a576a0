"""The schema of content: attributes, content types, components and the immutable registry of all. Data only."""
