"""A minimal HTTP client: sends given bytes over a persistent connection and returns the response."""

import socket
from dataclasses import dataclass

Header = tuple[bytes, bytes]


@dataclass(frozen=True)
class HostileRequest:
    """A request as bytes. `kind` is the name of its generator."""

    kind: str
    method: bytes
    target: bytes
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    framed: bool = True

    def encode(self) -> bytes:
        """Return the request as bytes. Add its length, unless it frames its body itself."""
        lines = [b"%b %b HTTP/1.1" % (self.method, self.target)]
        names = {name.lower() for name, _ in self.headers}
        if b"host" not in names:
            lines.append(b"Host: localhost")
        if self.framed and (self.body or self.method in (b"POST", b"PUT", b"PATCH")):
            lines.append(b"Content-Length: %d" % len(self.body))
        lines += [b"%b: %b" % header for header in self.headers]
        return b"\r\n".join(lines) + b"\r\n\r\n" + self.body


@dataclass(frozen=True)
class WireAnswer:
    """A response. Without one, status is 0 and the body is the reason."""

    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """One connection at a time to a server. A response that takes longer than `patience` seconds counts as none."""

    def __init__(self, port: int, patience: float = 60.0, host: str = "127.0.0.1") -> None:
        self._address = (host, port)
        self._patience = patience
        self._socket: socket.socket | None = None
        self._buffer = b""

    def send(self, request: HostileRequest) -> WireAnswer:
        """Return the response to a request. The connection persists as long as the server and the framing allow."""
        fresh = self._socket is None
        try:
            answer = self._exchange(request)
        except (OSError, ValueError) as error:
            self.close()
            if not fresh and not isinstance(error, TimeoutError):
                return self.send(request)  # the server may have closed the persistent connection
            return WireAnswer(0, {}, repr(error).encode())
        if answer.headers.get("connection", "").lower() == "close" or not request.framed:
            self.close()
        return answer

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._socket.close()
        self._socket, self._buffer = None, b""

    def _exchange(self, request: HostileRequest) -> WireAnswer:
        if self._socket is None:
            self._socket = socket.create_connection(self._address, timeout=self._patience)
        self._socket.sendall(request.encode())
        while True:
            head = self._read_until(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            status = int(lines[0].split(" ")[1])
            if status >= 200:
                break
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        body = b"" if request.method == b"HEAD" or status in (204, 304) else self._read_body(headers)
        return WireAnswer(status, headers, body)

    def _read_body(self, headers: dict[str, str]) -> bytes:
        if "content-length" in headers:
            return self._read(int(headers["content-length"]))
        if headers.get("transfer-encoding") != "chunked":
            raise ValueError("an answer without end")
        body = b""
        while size := int(self._read_until(b"\r\n"), 16):
            body += self._read(size)
            self._read(2)
        self._read(2)
        return body

    def _read_until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            self._receive()
        found, _, self._buffer = self._buffer.partition(mark)
        return found

    def _read(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._receive()
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def _receive(self) -> None:
        assert self._socket is not None
        piece = self._socket.recv(1 << 16)
        if not piece:
            raise ConnectionResetError("closed without a complete answer")
        self._buffer += piece
