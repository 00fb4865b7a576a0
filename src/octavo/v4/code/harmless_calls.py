"""Calls that cannot reject a request: of the language, Node.js, well-known packages, and Strapi itself.

They may fail, as on a full disk, but no project uses them to decide whether a request is allowed.
"""

import re
from typing import Final

GLOBALS: Final = frozenset(
    (
        *("console", "JSON", "Math", "Number", "String", "Boolean", "Date", "Object", "Array", "Promise", "Symbol"),
        *("BigInt", "RegExp", "Map", "Set", "WeakMap", "WeakSet", "WeakRef", "Intl", "Buffer", "URL", "Headers"),
        *("URLSearchParams", "FormData", "Blob", "File", "Request", "Response", "TextEncoder", "TextDecoder"),
        *("AbortController", "AbortSignal", "Event", "EventTarget", "Error", "TypeError", "RangeError", "SyntaxError"),
        *("ArrayBuffer", "Uint8Array", "Float64Array", "DataView", "Atomics", "crypto", "performance"),
        *("parseInt", "parseFloat", "isNaN", "isFinite", "encodeURIComponent", "decodeURIComponent", "encodeURI"),
        *("decodeURI", "escape", "unescape", "setTimeout", "setInterval", "setImmediate", "clearTimeout"),
        *("clearInterval", "clearImmediate", "queueMicrotask", "structuredClone", "fetch", "atob", "btoa", "require"),
        *("process", "AggregateError", "Int8Array", "Uint16Array", "Uint32Array", "Int32Array", "Float32Array"),
    )
)
"""Global names. `eval` and `Function` are not included, because their code cannot be read."""

REFUSING: Final = frozenset(("Promise.reject", "process.exit", "process.abort", "process.kill", "process.emit"))
"""Their methods that abort the current operation."""

_NODE: Final = frozenset(
    (
        *("fs", "fs/promises", "path", "path/posix", "url", "util", "os", "crypto", "stream", "stream/promises"),
        *("events", "buffer", "querystring", "string_decoder", "timers", "timers/promises", "zlib", "http", "https"),
        *("dns", "dns/promises", "net", "tls", "perf_hooks", "async_hooks", "punycode", "readline"),
    )
)
"""Modules of Node.js. `assert` rejects; `child_process`, `vm` and `worker_threads` run code that cannot be read."""

_PACKAGES: Final = frozenset(
    (
        *(
            "lodash",
            "lodash-es",
            "underscore",
            "ramda",
            "remeda",
            "radash",
            "just-clone",
            "deepmerge",
            "fast-deep-equal",
        ),
        *("slugify", "@sindresorhus/slugify", "slug", "speakingurl", "transliteration", "cyrillic-to-translit-js"),
        *("limax", "url-slug", "unidecode", "any-ascii", "diacritics", "remove-accents", "latinize", "voca"),
        *("date-fns", "date-fns-tz", "moment", "moment-timezone", "dayjs", "luxon", "ms", "humanize-duration"),
        *("uuid", "nanoid", "shortid", "cuid", "@paralleldrive/cuid2", "ulid", "short-uuid", "hashids", "sqids"),
        *("crypto-js", "md5", "object-hash", "crypto-random-string", "randomstring", "random-words"),
        *("change-case", "camelcase", "pluralize", "capitalize", "title-case", "string-strip-html", "striptags"),
        *("marked", "markdown-it", "remark", "turndown", "showdown", "html-to-text", "cheerio", "he", "entities"),
        *("reading-time", "word-count", "truncate", "numeral", "currency.js", "decimal.js", "big.js", "bignumber.js"),
        *("qs", "query-string", "url-join", "mime", "mime-types", "chalk", "debug", "pino", "winston", "color"),
        *("bcryptjs", "bcrypt", "node-fetch", "cross-fetch", "undici", "dotenv", "geolib", "libphonenumber-js"),
        *("nodemailer", "@sendgrid/mail", "handlebars", "mustache", "ejs", "qrcode", "blurhash", "plaiceholder"),
    )
)
"""Packages that calculate, format, log or send. `axios` and `got` fail on error statuses, which may be a rejection."""

_VALIDATES: Final = re.compile(r"valid|assert|ensure|check|verify|policy|yup", re.IGNORECASE)

METHODS: Final = frozenset(
    (
        *("at", "concat", "copyWithin", "entries", "every", "fill", "filter", "find", "findIndex", "findLast"),
        *("findLastIndex", "flat", "flatMap", "forEach", "includes", "indexOf", "join", "keys", "lastIndexOf", "map"),
        *("pop", "push", "reduce", "reduceRight", "reverse", "shift", "slice", "some", "sort", "splice", "toReversed"),
        *("toSorted", "unshift", "values", "with", "anchor", "charAt", "charCodeAt", "codePointAt", "endsWith"),
        *("localeCompare", "match", "matchAll", "normalize", "padEnd", "padStart", "repeat", "replace", "replaceAll"),
        *("search", "split", "startsWith", "substr", "substring", "toLocaleLowerCase", "toLocaleUpperCase"),
        *("toLowerCase", "toUpperCase", "toString", "trim", "trimEnd", "trimStart", "trimLeft", "trimRight"),
        *("toFixed", "toPrecision", "toExponential", "toLocaleString", "toLocaleDateString", "toLocaleTimeString"),
        *("valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "then", "catch", "finally"),
        *("exec", "test", "get", "set", "has", "add", "delete", "clear", "append", "toISOString", "toJSON"),
        *("toDateString", "toTimeString", "toUTCString", "getTime", "json", "text", "blob", "arrayBuffer", "next"),
        *("digest", "update", "getTimezoneOffset", "format", "abort", "call", "apply", "bind"),
    )
)
"""Methods of built-in values: their receiver is not an object of the project."""

CALLBACKS: Final = frozenset(
    ("then", "finally", "forEach", "map", "flatMap", "filter", "some", "every", "find", "findIndex", "reduce")
)
"""Those of them that call their arguments."""

_DATES: Final = re.compile(r"[gs]et(UTC)?(Date|Day|FullYear|Hours|Milliseconds|Minutes|Month|Seconds)")

STRAPI: Final = (
    *(
        ("log",),
        ("config", "get"),
        ("config", "has"),
        ("config", "set"),
        ("query",),
        ("entityService",),
        ("getModel",),
        ("contentType",),
        ("contentTypes",),
    ),
    *(("components",), ("eventHub", "emit"), ("telemetry",), ("requestContext",), ("utils",), ("dirs",), ("store",)),
    *(("cron",), ("webhookRunner",), ("fetch",), ("admin",), ("db", "query"), ("db", "connection")),
    *(("db", "metadata"), ("db", "transaction"), ("db", "getConnection"), ("db", "inTransaction")),
)
"""Prefixes of calls of `strapi` that are Strapi's own."""

CONNECTING: Final = frozenset(("service", "plugin", "api", "query", "controller", "policy", "connection", "store"))
"""Calls of `strapi` whose result is called next."""

PLUGINS: Final = frozenset(
    (
        *("users-permissions", "upload", "email", "i18n", "content-manager", "content-type-builder", "documentation"),
        *("graphql", "sentry", "review-workflows", "content-releases"),
    )
)
"""Strapi's own plugins."""

CORE_SERVICE: Final = frozenset(
    ("find", "findOne", "create", "update", "delete", "createOrUpdate", "getFetchParams", "count", "findMany")
)
"""Functions of a core service, whether a project defines them or not."""


def validates(name: str) -> bool:
    """Return whether a function of Strapi's packages is named like one that validates and rejects."""
    return _VALIDATES.search(name) is not None


def is_harmless_package(specifier: str, names: tuple[str, ...]) -> bool:
    """Return whether calls of an import cannot reject. `names` is the path from the module to the function."""
    if specifier.startswith("@strapi/"):
        return not any(map(validates, names))
    name = specifier.removeprefix("node:")
    parts = name.split("/")
    package = "/".join(parts[:2]) if name.startswith("@") else parts[0]
    return name in _NODE or package in _PACKAGES or package.startswith("lodash.")


def is_method(name: str) -> bool:
    """Return whether built-in values have a method of this name."""
    return name in METHODS or _DATES.fullmatch(name) is not None


def is_strapi_call(path: tuple[str, ...]) -> bool:
    """Return whether a call of `strapi` is Strapi's own."""
    names = tuple(name.removesuffix("()") for name in path)
    if names[:1] in (("plugin",), ("plugins",)):
        return bool(names[1:]) and names[1] in PLUGINS
    return any(names[: len(start)] == start for start in STRAPI)
