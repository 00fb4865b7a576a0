"""An editor's day on the pages: named steps in order."""
