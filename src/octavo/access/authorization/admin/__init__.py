"""Administrator permissions as in v4: grants of actions on content types, limited by fields and conditions."""
