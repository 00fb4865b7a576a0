"""An editor's day at the pages: named steps, one after the other."""
