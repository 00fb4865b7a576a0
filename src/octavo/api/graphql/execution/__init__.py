"""Execute operations: compile them to reads and writes, and assemble the JSON response."""
