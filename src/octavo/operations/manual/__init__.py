"""The documentation that comes with Octavo: its pages, what is looked for in them, and they as HTML."""
