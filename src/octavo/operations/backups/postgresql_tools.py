"""Back up and restore PostgreSQL databases with its own client programs. The password is never an argument.

A restore replaces the project's tables in one transaction. Functions raise BackupFailed.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from octavo.operations.backups.program_pipes import feed, first_line
from octavo.operations.backups.store import BackupFailed
from octavo.operations.runtime.database_servers import direct_server
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.settings import Settings

_EMPTY = """
SET client_min_messages = warning;
DO $$ DECLARE ours oid := to_regnamespace({schema}); others text; names text[]; item text; BEGIN
  IF ours IS NULL THEN RETURN; END IF;
  -- What would go with it, and is no part of the copy: views, keys, columns, defaults of other schemas.
  SELECT string_agg(DISTINCT CASE a.type WHEN 'rule' THEN 'view ' || a.object_names[1] || '.' || a.object_names[2]
      ELSE o.type || ' ' || o.identity END, ', ') INTO others
    FROM pg_depend d, pg_identify_object(d.refclassid, d.refobjid, d.refobjsubid) r,
      pg_identify_object(d.classid, d.objid, d.objsubid) o,
      pg_identify_object_as_address(d.classid, d.objid, d.objsubid) a
    WHERE d.deptype IN ('n', 'a') AND r.schema = {schema} AND coalesce(o.schema, a.object_names[1]) <> {schema}
    AND o.type <> 'view column' AND NOT EXISTS (SELECT FROM pg_depend e
        WHERE e.classid = d.refclassid AND e.objid = d.refobjid AND e.deptype = 'e');
  IF others IS NOT NULL THEN
    RAISE EXCEPTION 'other schemas are built on what is to be replaced, and would lose: %', others;
  END IF;
  -- Everything in the schema, but what belongs to extensions. Names first: what goes takes others with it.
  SELECT array_agg(format('%s IF EXISTS %s', CASE o.type WHEN 'statistics object' THEN 'STATISTICS'
      WHEN 'function' THEN 'ROUTINE' WHEN 'procedure' THEN 'ROUTINE' WHEN 'aggregate' THEN 'ROUTINE'
      ELSE o.type END, o.identity)) INTO names
    FROM pg_depend d, pg_identify_object(d.classid, d.objid, 0) o
    WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = ours AND d.deptype = 'n' AND d.objsubid = 0
    AND d.classid NOT IN ('pg_extension'::regclass, 'pg_default_acl'::regclass) AND d.classid::regclass::text NOT LIKE
      'pg_publication%' AND NOT EXISTS (SELECT FROM pg_depend e
        WHERE e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e');
  FOREACH item IN ARRAY coalesce(names, '{{}}') LOOP
    BEGIN
      EXECUTE 'DROP ' || item || ' CASCADE';
    EXCEPTION WHEN insufficient_privilege THEN NULL;  -- of others: it stays, or stands in the way and is told
    END;
  END LOOP;
END $$;
"""

# A publication loses dropped tables, so the new tables are added to it again.
_REMEMBER_PUBLISHED = """
SELECT set_config('octavo.published', coalesce(jsonb_agg(
    format('ALTER PUBLICATION %I ADD TABLE ONLY %I.%I', v.pubname, v.schemaname, v.tablename)
    || CASE WHEN to_jsonb(r) ->> 'prattrs' IS NULL THEN '' ELSE
      (SELECT ' (' || string_agg(quote_ident(a), ', ') || ')'
        FROM jsonb_array_elements_text(to_jsonb(v) -> 'attnames') a) END
    || coalesce(' WHERE (' || (to_jsonb(v) ->> 'rowfilter') || ')', '')), '[]')::text, true)
  FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid JOIN pg_class c ON c.oid = r.prrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_publication_tables v ON (v.pubname, v.schemaname, v.tablename) = (p.pubname, n.nspname, c.relname)
  WHERE n.nspname = {schema};
"""
_PUBLISH_AGAIN = """
DO $$ DECLARE item text; BEGIN
  FOR item IN SELECT jsonb_array_elements_text(current_setting('octavo.published')::jsonb) LOOP
    BEGIN
      EXECUTE item;
    EXCEPTION WHEN undefined_table THEN NULL;  -- the copy has none of this name
    END;
  END LOOP;
END $$;
"""


def dump_database(settings: Settings, file: Path, snapshot: str | None = None) -> None:
    """Dump the project's schema to a file, in the state of a snapshot or of now."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.part")
    schema = f"--schema={settings.database.schema}"
    try:
        part.touch(0o600)  # only the owner can read backups
        options = ["--format=custom", "--no-owner", "--no-privileges", schema, f"--file={part}"]
        _run(settings, find_tool("pg_dump"), *options, *([f"--snapshot={snapshot}"] if snapshot else []))
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def restore_database(settings: Settings, file: Path, database: str | None = None) -> None:
    """Replace all tables of the project's schema with a backup, in the project's database or another one."""
    tools = find_tool("pg_restore"), find_tool("psql")
    schema = settings.database.schema
    try:
        _run(settings, tools[0], "--list", str(file))  # reject invalid files before changing anything
    except BackupFailed as error:
        raise BackupFailed(f"Nothing was restored: {error}") from None
    # `pg_restore` writes SQL for `psql`: directly, it would keep or fail on tables that are newer than the backup.
    read = [tools[0], "--no-owner", "--no-privileges", f"--schema={schema}", "--file=-", str(file)]
    write = [tools[1], "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
    variables = environment(settings, database)
    with (
        tempfile.TemporaryFile() as messages,  # a pipe without a reader would block when it is full
        subprocess.Popen(read, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reader,
        subprocess.Popen(
            write, env=variables, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=messages
        ) as writer,
    ):
        assert reader.stdout is not None
        assert writer.stdin is not None
        before = (_REMEMBER_PUBLISHED + _EMPTY).format(schema=POSTGRESQL.literal(schema))
        whole = feed(before, reader.stdout, _PUBLISH_AGAIN, writer.stdin)
        if not whole:
            reader.kill()  # it would block on writing, because its output is no longer read
        if reader.wait() or not whole:
            writer.kill()  # before it commits a part
        else:
            writer.stdin.close()
        if writer.wait():
            messages.seek(0)
            said = messages.read().decode(errors="replace")
            raise BackupFailed(f"Nothing was restored: {first_line(said) or 'the backup cannot be read completely'}")


def find_tool(name: str) -> str:
    """Return the path of a PostgreSQL client program."""
    tool = shutil.which(name)
    if tool is None:
        raise BackupFailed(f"{name} is required but not installed. It is part of PostgreSQL's client programs")
    return tool


def _run(settings: Settings, *command: str) -> None:
    done = subprocess.run(command, env=environment(settings), capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        if "server version mismatch" in said:
            raise BackupFailed(f"{' '.join(said.split())}. Put client programs of the server's version first in PATH")
        raise BackupFailed(first_line(said) or f"{command[0]} failed")


def environment(settings: Settings, database: str | None = None) -> dict[str, str]:
    """Return environment variables for PostgreSQL's programs, for the project's database or another one there."""
    server, places = direct_server(settings)
    variables = {
        "PGHOST": ",".join(host for host, _ in places),
        "PGPORT": ",".join(str(port) for _, port in places),
        "PGTARGETSESSIONATTRS": "read-write" if len(places) > 1 else "",
        "PGDATABASE": database or server["database"],
        "PGUSER": server["user"],
        "PGPASSWORD": server["password"],
        "PGSSLMODE": settings.database.ssl,
    }
    return {**os.environ, **{name: value for name, value in variables.items() if value}}
