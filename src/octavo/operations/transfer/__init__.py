"""Data transfer: archives, database copies, sample content and new projects."""
