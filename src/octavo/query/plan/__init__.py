"""What we will do: names resolved, values typed. No SQL text, no caller."""
