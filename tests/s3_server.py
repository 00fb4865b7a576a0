"""An S3-compatible server: one process for a test run, one bucket for each test."""

import secrets
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field

import boto3
from botocore.client import BaseClient
from botocore.exceptions import ClientError

KEY, SECRET = "reader", "writer"


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


@dataclass
class S3Server:
    """The process, and a client for it."""

    port: int = field(default_factory=_free_port)

    def __post_init__(self) -> None:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{self.port}"
        self.client: BaseClient = boto3.client(
            "s3",
            region_name="us-east-1",
            endpoint_url=self.address,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
        )
        self._wait()

    def _wait(self) -> None:
        for _ in range(1800):
            with socket.socket() as asking:
                if asking.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise TimeoutError("the S3 server does not start")

    def new_bucket(self) -> str:
        """Create an empty bucket and return its name."""
        name = f"bucket-{secrets.token_hex(6)}"
        self.client.create_bucket(Bucket=name)
        return name

    def keys(self, bucket: str) -> list[str]:
        """Return the keys in a bucket."""
        return [item["Key"] for item in self.client.list_objects_v2(Bucket=bucket).get("Contents", ())]

    def head(self, bucket: str, key: str) -> dict[str, object]:
        """Return the headers of an object."""
        try:
            head: dict[str, object] = self.client.head_object(Bucket=bucket, Key=key)
        except ClientError as error:
            raise KeyError(key) from error
        return head

    def remove(self) -> None:
        """Stop the process."""
        self.client.close()
        self._process.terminate()
        self._process.wait(10)
