"""Running a service: server process, telemetry, backups, and moving data."""
