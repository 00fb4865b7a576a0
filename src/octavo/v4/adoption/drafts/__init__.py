"""Python for the JavaScript of a v4 project, written as drafts for review: the shapes that most projects write."""
