"""Run a service: server process, telemetry, backups and data transfer."""
