"""Encryption of archives as in v4: AES-128-ECB with PKCS #7. The key is derived with scrypt, without a salt.

This is weak: equal blocks stay equal, and equal passwords result in equal keys.
"""

import io
from hashlib import scrypt
from typing import IO, Final

from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.padding import PKCS7

from octavo.operations.transfer.problems import TransferError

WRONG_KEY: Final = "cannot be decrypted: the key is wrong, or the file is damaged"

_KEY_BYTES: Final = 16
_SCRYPT: Final = {"n": 2**14, "r": 8, "p": 1}
_PIECE: Final = 1 << 20


def _cipher(password: str) -> Cipher[modes.ECB]:
    key = scrypt(password.encode(), salt=b"", dklen=_KEY_BYTES, **_SCRYPT)
    return Cipher(AES(key), modes.ECB())  # noqa: S305 - required by v4's format


class EncryptingFile(io.RawIOBase):
    """Encrypts data and writes it to another file, which stays open."""

    def __init__(self, file: IO[bytes], password: str) -> None:
        self._file = file
        self._encryptor = _cipher(password).encryptor()
        self._padder = PKCS7(AES.block_size).padder()

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | memoryview") -> int:  # type: ignore[override]
        self._file.write(self._encryptor.update(self._padder.update(bytes(data))))
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.write(self._encryptor.update(self._padder.finalize()) + self._encryptor.finalize())
        super().close()


class DecryptingFile(io.RawIOBase):
    """Decrypts data read from another file. Raises TransferError if that fails."""

    def __init__(self, file: IO[bytes], password: str, name: str) -> None:
        self._file = file
        self._name = name
        self._decryptor = _cipher(password).decryptor()
        self._unpadder = PKCS7(AES.block_size).unpadder()
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready and not self._ended:
            self._ready = self._next_piece()
        piece = self._ready[: len(buffer)]
        buffer[: len(piece)] = piece
        self._ready = self._ready[len(piece) :]
        return len(piece)

    def _next_piece(self) -> bytes:
        piece = self._file.read(_PIECE)
        if piece:
            return self._unpadder.update(self._decryptor.update(piece))
        self._ended = True
        try:
            return self._unpadder.update(self._decryptor.finalize()) + self._unpadder.finalize()
        except ValueError as error:
            raise TransferError(f"{self._name} {WRONG_KEY}") from error
