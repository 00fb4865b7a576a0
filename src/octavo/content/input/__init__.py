"""From a request's body to the rows that shall be."""
