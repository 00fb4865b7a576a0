"""The bundled documentation: its pages, search, and HTML."""
