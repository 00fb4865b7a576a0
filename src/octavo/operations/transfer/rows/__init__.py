"""Table rows with values in a form that is the same on all databases."""
