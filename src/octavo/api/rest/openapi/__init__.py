"""The OpenAPI 3.1 document of a project, made from its operations (`api.rest.operations`) and its registry."""
