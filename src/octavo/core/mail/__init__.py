"""Mail: messages, templates, and the ways they leave."""
