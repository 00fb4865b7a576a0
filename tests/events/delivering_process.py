"""Write rows, each with a message in the outbox, and deliver messages by appending them to a file.

python delivering_process.py URL LEDGER NAME COUNT

Print the name of each row once it is committed. Every third one is rolled back, and starts with `-`.
"""

import asyncio
import os
import sys
from functools import partial

from octavo.database import open_database
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.events.messages import Message, Topic
from octavo.events.outbox import Outbox
from octavo.events.outbox_worker import OutboxWorker

KEYS = 5
TOPIC = "written"


async def _write(ledger: int, message: Message) -> None:
    os.write(ledger, f"{message.payload}\n".encode())
    await asyncio.sleep(0.001)


async def _change(database: Database, outbox: Outbox, name: str, undone: bool, key: str) -> None:
    async with unit_of_work(database) as unit:
        await outbox.add(unit, TOPIC, f"-{name}" if undone else name, key)
        if undone:
            raise ZeroDivisionError


async def _main(url: str, ledger: str, name: str, count: int) -> None:
    file = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    database = open_database(url)
    await database.connect()
    outbox = Outbox(database)
    topic = Topic(TOPIC, partial(_write, file))
    worker = OutboxWorker(database, outbox, {TOPIC: topic})
    worker.start()
    for number in range(count):
        key = f"{name}{number % KEYS}"
        try:
            await _change(database, outbox, f"{key} {number}", number % 3 == 2, key)
        except ZeroDivisionError:
            continue
        sys.stdout.write(f"{key} {number}\n")
        sys.stdout.flush()
    sys.stdout.write("done\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
