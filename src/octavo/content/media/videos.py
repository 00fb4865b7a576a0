"""Read the size, the duration and a frame of videos with ffmpeg and ffprobe, if both are installed. Runs in a worker.

Files are hostile: the demuxer is that of the file's type, so that a playlist that is named `.mp4` names no other files,
only local files can be opened, and the programs have limits on time, memory and output.
"""

import ctypes
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson

from octavo.content.media.image_sizes import Size
from octavo.core.errors import ApplicationError
from octavo.core.values import dataclass

DEMUXERS: Final[Mapping[str, str]] = {
    "video/mp4": "mov",
    "video/quicktime": "mov",
    "video/x-m4v": "mov",
    "video/webm": "matroska",
    "video/x-matroska": "matroska",
}
"""The types of videos with frames, and ffmpeg's names for their containers."""
VIDEO: Final = "video"
"""The key of the facts about a video, in its placeholder and in `formats` of responses."""
_SECONDS: Final = 5
"""The time of a program. With two or three of them, an upload stays below the limit of its worker."""
_MOST_OUTPUT: Final = 16 << 20
_LARGEST_SIDE: Final = 1920
_PARENT_DEATH_SIGNAL: Final = 1
"""`PR_SET_PDEATHSIG` of Linux."""
_LONGEST: Final = 10 * 365 * 24 * 3600.0
_LONGEST_PIXEL: Final = 8
"""The longest shape of pixels, as width by height or height by width; beyond it, the file is damaged."""
_FAILED: Final = "The video cannot be read: it is damaged, or its format is not supported"


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """The size of the picture in pixels, as it is shown, and the duration in seconds; None if unknown."""

    size: Size
    duration: float | None

    @property
    def frame(self) -> Size:
        """The size of frames: that of the picture, with at most 1920 pixels on each side."""
        scale = min(1.0, _LARGEST_SIDE / max(self.size.width, self.size.height, 1))
        return Size(max(1, round(self.size.width * scale)), max(1, round(self.size.height * scale)))


@cache
def has_programs() -> bool:
    """Return whether ffmpeg and ffprobe are installed."""
    return all(map(shutil.which, ("ffmpeg", "ffprobe")))


def has_frames(mime: str) -> bool:
    """Return whether frames of files of this type can be read here."""
    return mime in DEMUXERS and has_programs()


def read_facts(path: Path, mime: str) -> VideoFacts:
    """Return the facts about a video. Raises ApplicationError."""
    wanted = "stream=width,height,sample_aspect_ratio:stream_side_data=rotation:format=duration"
    options = ("-select_streams", "v:0", "-show_entries", wanted, "-of", "json")
    try:
        told = orjson.loads(_run("ffprobe", ("-v", "error"), path, mime, options))
        stream = told["streams"][0]
        width, height = _square(int(stream["width"]), stream.get("sample_aspect_ratio")), int(stream["height"])
    except (ValueError, LookupError, TypeError) as error:
        raise ApplicationError(_FAILED) from error
    turns = [_number(side.get("rotation")) for side in stream.get("side_data_list", ())]
    is_turned = any(turn is not None and turn % 180 == 90 for turn in turns)
    duration = _number(told.get("format", {}).get("duration"))
    shown = Size(height, width) if is_turned else Size(width, height)
    return VideoFacts(shown, duration if duration is not None and 0 <= duration <= _LONGEST else None)


def _square(width: int, pixel: Any) -> int:
    """Return the width in square pixels of a picture whose pixels have a shape such as `64:45`, width to height."""
    across, _, down = str(pixel).partition(":")
    if not (across.isdecimal() and down.isdecimal()) or "0" in (across, down):
        return width
    shape = int(across) / int(down)
    return round(width * shape) if 1 / _LONGEST_PIXEL <= shape <= _LONGEST_PIXEL else width


def write_frame(path: Path, mime: str, facts: VideoFacts, target: Path) -> None:
    """Write a frame from the beginning of a video as a JPEG of `facts.frame`. Raises ApplicationError."""
    frame = facts.frame
    picture = ("-map", "0:v:0", "-frames:v", "1", "-vf", f"scale={frame.width}:{frame.height},setsar=1")
    output = ("-c:v", "mjpeg", "-q:v", "3", "-threads", "1", "-f", "image2", "-update", "1", f"file:{target}")
    for start in (min(1.0, (facts.duration or 0) / 2), 0.0):  # the picture can end before the sound
        before = ("-nostdin", "-v", "error", "-threads", "1", "-ss", f"{start}")  # one thread: 4K needs about 100 MB
        _run("ffmpeg", before, path, mime, (*picture, *output))
        if target.exists():
            return
    raise ApplicationError(_FAILED)


def _run(program: str, before: Sequence[str], path: Path, mime: str, after: Sequence[str]) -> bytes:
    source = ("-protocol_whitelist", "file", "-f", DEMUXERS[mime], "-i", f"file:{path}")
    try:
        done = subprocess.run(
            [program, *before, *source, *after],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=True,
            preexec_fn=_limit,  # in a worker, which has one thread
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise ApplicationError(_FAILED) from error
    return done.stdout


def _limit() -> None:
    """Limit a program, and let it end with its worker. Memory is limited as that of the worker."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_OUTPUT, _MOST_OUTPUT))


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
