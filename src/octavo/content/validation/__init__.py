"""Whether a body may be stored: rules for each attribute type, with the reference's messages."""
