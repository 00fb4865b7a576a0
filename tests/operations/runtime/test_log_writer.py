"""A thread writes log lines. If the reader stalls or closes the pipe, lines are dropped and counted."""

import json
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from octavo.core.log_writer import LogWriter
from octavo.operations.runtime.logs import JsonLines, LogHandler

PATIENCE = 60.0


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    reads, writes = os.pipe()
    try:
        yield reads, writes
    finally:
        for descriptor in (reads, writes):
            try:
                os.close(descriptor)
            except OSError:
                continue


def record(message: object, *values: object) -> logging.LogRecord:
    return logging.LogRecord("octavo.test", logging.INFO, "x.py", 1, message, values, None)


def read_all(descriptor: int) -> list[str]:
    with os.fdopen(os.dup(descriptor), "rb") as reader:
        return reader.read().decode().splitlines()


def test_lines_keep_their_order() -> None:
    writer = LogWriter()
    with pipe() as (reads, writes):
        for number in range(100):
            assert writer.write(writes, f"line {number}\n")
        assert writer.flush(PATIENCE)
        os.close(writes)
        assert read_all(reads) == [f"line {number}" for number in range(100)]


def test_a_reader_that_stalls_loses_lines_and_learns_how_many() -> None:
    line = "x" * 1000
    writer = LogWriter(most_waiting=5000)
    handler = LogHandler(writer, -1)
    with closing(handler), pipe() as (reads, writes):
        handler = LogHandler(writer, writes)
        handler.setFormatter(JsonLines())
        os.set_blocking(writes, False)
        while True:  # fill the pipe
            try:
                os.write(writes, b"\n" * 4096)
            except BlockingIOError:
                break
        os.set_blocking(writes, True)
        for _ in range(20):
            handler.handle(record(line))
        lost = writer.dropped
        assert 15 <= lost <= 17
        assert not writer.flush(0)
        found: list[str] = []
        reader = threading.Thread(target=lambda: found.extend(filter(None, read_all(reads))))
        reader.start()
        assert writer.flush(PATIENCE)
        handler.handle(record("again"))
        assert writer.flush(PATIENCE)
        os.close(writes)
        reader.join(PATIENCE)
    reported = [json.loads(one) for one in found]
    assert len(reported) == 20 - lost + 2
    assert reported[-2]["level"] == "warning"
    assert reported[-2]["message"] == f"{lost} log lines dropped: the log was not read in time"
    assert reported[-1]["message"] == "again"


def test_lines_for_a_closed_pipe_are_counted() -> None:
    writer = LogWriter()
    with pipe() as (reads, writes):
        os.close(reads)
        assert writer.write(writes, "nobody reads this\n")
        assert writer.flush(PATIENCE)
    assert writer.dropped == 1


def test_a_wrong_call_is_logged() -> None:
    writer = LogWriter()
    with pipe() as (reads, writes):
        handler = LogHandler(writer, writes)
        handler.handle(record("%d entries", "many"))
        handler.flush()
        os.close(writes)
        [line] = read_all(reads)
    assert line.startswith("Could not log '%d entries': ")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_writes_its_own_lines() -> None:
    writer = LogWriter()
    with pipe() as (reads, writes):
        writer.write(writes, "before\n")
        assert writer.flush(PATIENCE)
        child = os.fork()
        if not child:
            writer.write(writes, "child\n")
            os._exit(0 if writer.flush(PATIENCE) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        os.close(writes)
        assert read_all(reads) == ["before", "child"]
