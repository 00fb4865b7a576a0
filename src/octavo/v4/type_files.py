"""The code files that v4 has for each content type: a generated controller, router and service.

v4 does not serve a type without them. Octavo's projects do not need them, and do not get them.
"""

import re
from pathlib import Path
from typing import Final

_KINDS: Final = (
    ("controllers", "controller", "Controller"),
    ("routes", "router", "Router"),
    ("services", "service", "Service"),
)
_JAVASCRIPT: Final = """\
'use strict';

/**
 * {name} {word}
 */

const {{ createCore{kind} }} = require('@strapi/strapi').factories;

module.exports = createCore{kind}('{uid}');
"""
_TYPESCRIPT: Final = """\
/**
 * {name} {word}
 */

import {{ factories }} from '@strapi/strapi'{end}

export default factories.createCore{kind}('{uid}');
"""
_COMMENTS: Final = re.compile(r"/\*.*?\*/|//[^\n]*|['\"]use strict['\"];?", re.DOTALL)
_PLAIN: Final = re.compile(
    r"\s*(const\s*\{\s*\w+\s*\}\s*=\s*require\(['\"]@strapi/strapi['\"]\)\.factories;?\s*"
    r"|import\s*\{\s*factories\s*\}\s*from\s*['\"]@strapi/strapi['\"];?\s*)?"
    r"(module\.exports\s*=|export\s+default)\s*(require\(['\"]@strapi/strapi['\"]\)\.factories\.|factories\.)?"
    r"createCore\w+\(['\"][\w:.-]+['\"]\);?\s*"
)


def type_files(project: Path, uid: str) -> dict[str, bytes]:
    """Return the files to write for a content type, by their paths in the project. Customized code is not replaced."""
    api, _, name = uid.partition("::")[2].partition(".")
    suffix, text = ("ts", _TYPESCRIPT) if (project / "tsconfig.json").is_file() else ("js", _JAVASCRIPT)
    files = {
        f"src/api/{api}/{folder}/{name}.{suffix}": _text(text, name, word, kind, uid) for folder, word, kind in _KINDS
    }
    return {path: content for path, content in files.items() if _says_nothing(project / path)}


def _text(text: str, name: str, word: str, kind: str, uid: str) -> bytes:
    end = "" if word == "controller" else ";"  # as in v4
    return text.format(name=name, word=word, kind=kind, uid=uid, end=end).encode()


def _says_nothing(path: Path) -> bool:
    try:
        return _PLAIN.fullmatch(_COMMENTS.sub("", path.read_text("utf-8"))) is not None
    except FileNotFoundError:
        return True
    except (OSError, UnicodeDecodeError):
        return False
