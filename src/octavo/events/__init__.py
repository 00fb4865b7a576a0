"""What a project's code does before and after its content changes (hooks), and what follows a change for certain: the
outbox, where it is written with the change, and its delivery."""
