"""Build the OpenAPI 3.1 document of a project from its operations (`api.rest.operations`) and its registry."""
