"""What was asked: the Query, the meeting point of all doors. Names are still names, values still as they were sent."""
