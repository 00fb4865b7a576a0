"""The core actions for all APIs: check permissions, sanitize the query, plan and run it."""
