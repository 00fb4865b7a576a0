"""What follows a change of data, for certain: the outbox, where it is written with the change, and its delivery."""
