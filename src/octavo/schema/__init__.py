"""What content looks like: attributes, content-types, components and the frozen registry of all of them. Data only."""
