"""The content manager: what administrators do with content, whatever door they come by."""
