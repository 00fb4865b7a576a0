"""Calls that cannot refuse a request: of the language, of Node.js, of well-known packages, of Strapi itself.

They may fail, as a full disk fails, but no project uses them to decide whether a request is allowed.
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
"""Names that are everywhere. `eval` and `Function` are not among them: what they run cannot be read."""

REFUSING: Final = frozenset(("Promise.reject", "process.exit", "process.abort", "process.kill", "process.emit"))
"""Calls of them that end what is under way."""

_NODE: Final = frozenset(
    (
        *("fs", "fs/promises", "path", "path/posix", "url", "util", "os", "crypto", "stream", "stream/promises"),
        *("events", "buffer", "querystring", "string_decoder", "timers", "timers/promises", "zlib", "http", "https"),
        *("dns", "dns/promises", "net", "tls", "perf_hooks", "async_hooks", "punycode", "readline"),
    )
)
"""Modules of Node.js. `assert` refuses; `child_process`, `vm` and `worker_threads` run what cannot be read."""

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
"""Packages that calculate, format, log or send. `axios` and `got` fail by an answer's status: that may be a refusal."""

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
"""Methods of values of the language: what stands before them is no object of the project's."""

CALLBACKS: Final = frozenset(
    ("then", "finally", "forEach", "map", "flatMap", "filter", "some", "every", "find", "findIndex", "reduce")
)
"""Those of them that call what they are given."""

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
"""Beginnings of calls of `strapi` that are its own."""

CONNECTING: Final = frozenset(("service", "plugin", "api", "query", "controller", "policy", "connection", "store"))
"""Calls of `strapi` that answer what is called next."""

PLUGINS: Final = frozenset(
    (
        *("users-permissions", "upload", "email", "i18n", "content-manager", "content-type-builder", "documentation"),
        *("graphql", "sentry", "review-workflows", "content-releases"),
    )
)
"""Plugins that are Strapi's own."""

CORE_SERVICE: Final = frozenset(
    ("find", "findOne", "create", "update", "delete", "createOrUpdate", "getFetchParams", "count", "findMany")
)
"""Functions that a core service has, whether a project writes them or not."""


def validates(name: str) -> bool:
    """Return whether a function of Strapi's packages is named as one that refuses."""
    return _VALIDATES.search(name) is not None


def is_harmless_package(specifier: str, names: tuple[str, ...]) -> bool:
    """Return whether calls of an import cannot refuse; `names` lead from the module to what is called."""
    if specifier.startswith("@strapi/"):
        return not any(map(validates, names))
    name = specifier.removeprefix("node:")
    parts = name.split("/")
    package = "/".join(parts[:2]) if name.startswith("@") else parts[0]
    return name in _NODE or package in _PACKAGES or package.startswith("lodash.")


def is_method(name: str) -> bool:
    """Return whether values of the language have a method of this name."""
    return name in METHODS or _DATES.fullmatch(name) is not None


def is_strapi_call(path: tuple[str, ...]) -> bool:
    """Return whether a call of `strapi` is its own."""
    names = tuple(name.removesuffix("()") for name in path)
    if names[:1] in (("plugin",), ("plugins",)):
        return bool(names[1:]) and names[1] in PLUGINS
    return any(names[: len(start)] == start for start in STRAPI)
