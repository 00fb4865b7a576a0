"""The service process and its sites: translate settings to options, open resources, assemble and run them."""
