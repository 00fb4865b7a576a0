"""Sign the URLs of private files in responses."""

import re
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson

from octavo.content.media.preset_urls import PresetUrls
from octavo.query.plan.nodes import ReadPlan
from octavo.query.sql.read.select import compile_read
from octavo.query.sql.read.select_file_facts import PrivateFileFactsCompiler
from octavo.query.sql.read.select_signed_urls import PrivateUrlsCompiler


class PrivateUrls:
    """Signs the URLs of private files. `presets` adds the URLs of presets, which are signed too.

    `withholds`: only in reads of callers with permission; others get URLs without signatures.
    """

    lasts = False

    def __init__(self, sign: Callable[[str], str], *, withholds: bool = False) -> None:
        self.withholds = withholds
        self.mark = f"{secrets.token_hex(12)}:"
        self.presets: PresetUrls | None = None
        self._sign = sign
        self._marked = re.compile(rb'"%b((?:[^"\\]|\\.)*)"' % self.mark.encode())

    @property
    def compile(self) -> Callable[..., str]:
        """A function that returns the statement of a read, with a mark before the URLs of private files."""
        return self._compile

    def _compile(self, plan: ReadPlan, *arguments: Any, **options: Any) -> str:
        if plan.withholds_private:
            return (compile_read if self.presets is None else self.presets.compile)(plan, *arguments, **options)
        if self.presets is None:
            return compile_read(plan, *arguments, make=partial(PrivateUrlsCompiler, url_mark=self.mark), **options)
        facts = partial(PrivateFileFactsCompiler, mark=self.presets.mark, url_mark=self.mark)
        return compile_read(plan, *arguments, make=facts, **options)

    def apply(self, answer: bytes) -> bytes:
        """Return the response with the URLs of private files signed."""
        if self.presets is not None:
            answer = self.presets.apply(answer)
        return self._marked.sub(self._signed, answer)

    def _signed(self, found: "re.Match[bytes]") -> bytes:
        url: str = orjson.loads(b'"%b"' % found[1])
        return orjson.dumps(self._sign(url))
