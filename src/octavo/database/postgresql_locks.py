"""The holders of locks on tables of PostgreSQL, for messages."""

from typing import Final

LOCK_HOLDERS: Final = """
SELECT DISTINCT c.relname::text, l.pid, a.usename::text, a.application_name, a.state,
    extract(epoch FROM clock_timestamp() - a.xact_start)::integer AS seconds
FROM pg_locks l JOIN pg_class c ON c.oid = l.relation LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.granted AND l.pid IS DISTINCT FROM pg_backend_pid() AND c.relname = ANY($1)
    AND a.state IS DISTINCT FROM 'idle'
    AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY seconds DESC NULLS FIRST LIMIT 3"""


def describe_holder(
    table: str, pid: int | None, user: str | None, application: str | None, state: str | None, seconds: int | None
) -> str:
    """Describe the holder of a lock. Its statement is left out, because it may contain sensitive data."""
    if pid is None:
        return f"{table}: a prepared transaction"
    known = ", ".join(text for text in (application, f"user {user}" if user else "", state) if text)
    return f"{table}: process {pid} ({known}) for {seconds or 0} s"
