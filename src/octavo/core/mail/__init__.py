"""Email: messages, templates and mailers."""
