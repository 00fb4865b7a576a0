"""The rights of administrators, as v4 keeps them: grants of actions on content-types, their fields, their entries."""
