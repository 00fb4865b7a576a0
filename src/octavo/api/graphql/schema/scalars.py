"""Scalars that are not part of GraphQL: how values in documents and variables are parsed and rejected.

Messages are Strapi v4's. A GraphQLError is shown unchanged, other errors after the expected type.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, Final

from graphql import (
    BooleanValueNode,
    EnumValueNode,
    FloatValueNode,
    GraphQLBoolean,
    GraphQLError,
    GraphQLFloat,
    GraphQLInt,
    GraphQLScalarType,
    GraphQLString,
    IntValueNode,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    StringValueNode,
    Undefined,
    ValueNode,
    VariableNode,
    print_ast,
)

from octavo.api.graphql.schema.js_values import json_text, number_text, plain_text
from octavo.api.http.form_data import UploadedFile
from octavo.core.errors import ValidationError
from octavo.core.text_limits import may_be_number
from octavo.query.dates import read_instant, read_time
from octavo.query.numbers import exact_number
from octavo.schema.scalar_types import ValueKind

_LINES: Final = (
    "all af af-NA af-ZA agq agq-CM ak ak-GH am am-ET ar ar-001 ar-AE ar-BH ar-DZ ar-EG ar-IQ ar-JO ar-KW ar-LB ar-LY",
    "ar-MA ar-OM ar-QA ar-SA ar-SD ar-SY ar-TN ar-YE as as-IN asa asa-TZ ast ast-ES az az-Cyrl az-Cyrl-AZ az-Latn",
    "az-Latn-AZ bas bas-CM be be-BY bem bem-ZM bez bez-TZ bg bg-BG bm bm-ML bn bn-BD bn-IN bo bo-CN bo-IN br br-FR",
    "brx brx-IN bs bs-BA ca ca-ES cgg cgg-UG chr chr-US ckb cs cs-CZ cy cy-GB da da-DK dav dav-KE de de-AT de-BE",
    "de-CH de-DE de-LI de-LU dje dje-NE dua dua-CM dv dyo dyo-SN ebu ebu-KE ee ee-GH ee-TG el el-CY el-GR en en-AE",
    "en-AI en-AS en-AT en-AU en-BB en-BE en-BI en-BM en-BW en-BZ en-CA en-CC en-CH en-CK en-CM en-CX en-CY en-DE",
    "en-DG en-DK en-DM en-EG en-ER en-EU en-FI en-FJ en-FK en-FM en-GB en-GD en-GG en-GH en-GI en-GM en-GU en-GY",
    "en-HK en-IE en-IL en-IM en-IN en-IO en-JE en-JM en-KE en-KI en-KN en-KW en-KY en-LC en-LS en-MG en-MH en-MO",
    "en-MP en-MS en-MT en-MU en-MW en-MY en-NA en-NF en-NG en-NL en-NO en-NR en-NU en-NZ en-PA en-PG en-PH en-PK",
    "en-PN en-PR en-PW en-RW en-SA en-SB en-SC en-SD en-SE en-SG en-SH en-SI en-SL en-SS en-SX en-SZ en-TK en-TO",
    "en-TT en-TV en-TZ en-UG en-UM en-US en-US-POSIX en-VI en-VU en-WS en-ZA en-ZM en-ZW eo es es-419 es-AR es-BO",
    "es-CL es-CO es-CR es-DO es-EC es-ES es-GQ es-GT es-HN es-MX es-NI es-PA es-PE es-PR es-PY es-SV es-US es-UY",
    "es-VE et et-EE eu eu-ES ewo ewo-CM fa fa-AF fa-IR ff ff-SN fi fi-FI fil fil-PH fo fo-FO fr fr-BE fr-BF fr-BI",
    "fr-BJ fr-BL fr-CA fr-CD fr-CF fr-CG fr-CH fr-CI fr-CM fr-DJ fr-FR fr-GA fr-GF fr-GN fr-GP fr-GQ fr-KM fr-LU",
    "fr-MC fr-MF fr-MG fr-ML fr-MQ fr-MU fr-NE fr-RE fr-RW fr-SN fr-TD fr-TG fr-YT ga ga-IE gd gd-GB gl gl-ES gsw",
    "gsw-CH gu gu-IN guz guz-KE gv gv-GB ha ha-Latn haw haw-US he he-IL hi hi-IN hr hr-HR hu hu-HU hy hy-AM id id-ID",
    "ig ig-NG ii ii-CN is is-IS it it-CH it-IT ja ja-JP jmc jmc-TZ ka ka-GE kaa kab kab-DZ kam kam-KE kde kde-TZ kea",
    "kea-CV khq khq-ML ki ki-KE kk kk-Cyrl kk-Cyrl-KZ kl kl-GL kln kln-KE km km-KH kn kn-IN ko ko-KR kok kok-IN ksb",
    "ksb-TZ ksf ksf-CM kw kw-GB ky lag lag-TZ lg lg-UG ln ln-CD ln-CG lt lt-LT lu lu-CD luo luo-KE luy luy-KE lv",
    "lv-LV mas mas-KE mas-TZ mer mer-KE mfe mfe-MU mg mg-MG mgh mgh-MZ mi mk mk-MK ml ml-IN mn mr mr-IN ms ms-BN",
    "ms-MY mt mt-MT mua mua-CM my my-MM naq naq-NA nb nb-NO nd nd-ZW ne ne-IN ne-NP nl nl-AW nl-BE nl-CW nl-NL nl-SX",
    "nmg nmg-CM nn nn-NO nus nus-SD nyn nyn-UG om om-ET om-KE or or-IN pa pa-Arab pa-Arab-PK pa-Guru pa-Guru-IN pl",
    "pl-PL ps ps-AF pt pt-AO pt-BR pt-GW pt-MZ pt-PT pt-ST rm rm-CH rn rn-BI ro ro-MD ro-RO rof rof-TZ ru ru-MD ru-RU",
    "ru-UA rw rw-RW rwk rwk-TZ sa saq saq-KE sbp sbp-TZ sdh se se-FI se-NO se-SE seh seh-MZ ses ses-ML sg sg-CF shi",
    "shi-Latn shi-Latn-MA shi-Tfng shi-Tfng-MA si si-LK sk sk-SK sl sl-SI smn smn-FI sn sn-ZW so so-DJ so-ET so-KE",
    "so-SO sq sq-AL sr sr-Cyrl sr-Cyrl-BA sr-Cyrl-ME sr-Cyrl-RS sr-Latn sr-Latn-BA sr-Latn-ME sr-Latn-RS sv sv-FI",
    "sv-SE sw sw-KE sw-TZ ta ta-IN ta-LK te te-IN teo teo-KE teo-UG tg th th-TH ti ti-ER ti-ET tk to to-TO tr tr-TR",
    "twq twq-NE tzm tzm-Latn ug ug-CN uk uk-UA ur ur-IN ur-PK uz uz-Arab uz-Arab-AF uz-Cyrl uz-Cyrl-UZ uz-Latn",
    "uz-Latn-UZ vai vai-Latn vai-Latn-LR vai-Vaii vai-Vaii-LR vi vi-VN vun vun-TZ xog xog-UG yav yav-CM yo yo-NG zh",
    "zh-CN zh-Hans zh-Hans-CN zh-Hans-HK zh-Hans-MO zh-Hans-SG zh-Hant zh-Hant-HK zh-Hant-MO zh-Hant-TW zu zu-ZA",
)
LOCALE_CODES: Final = frozenset(" ".join(_LINES).split())


Variables = dict[str, Any] | None

_RFC_3339 = (
    "compliant with the `{kind}` format outlined in section 5.6 of the RFC 3339 profile of the ISO 8601 standard for "
    "representation of dates and times using the Gregorian calendar."
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII | re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:[+-]?\d+|0x[0-9a-f]+|0o[0-7]+|0b[01]+|)", re.ASCII | re.IGNORECASE)


class RefusedValue(Exception):
    """A value that a scalar rejects. The message is shown after the expected type."""


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _read_day(value: Any, node: ValueNode | None = None) -> str:
    if not isinstance(value, str):
        raise GraphQLError(f"Date cannot represent non string type {json_text(value)}", node)
    if not (_DAY.fullmatch(value) and _is_day(value)):
        raise GraphQLError(f"Date cannot represent an invalid date-string {value}.", node)
    return value


def _read_instant(value: Any, node: ValueNode | None = None) -> str:
    """Parse an instant and format it as `yyyy-MM-ddTHH:mm:ss.SSSZ`."""
    if not isinstance(value, str):
        raise GraphQLError(f"DateTime cannot represent non string or Date type {json_text(value)}", node)
    match = _INSTANT.fullmatch(value)
    if match is None or not _is_day(match[1]):
        raise GraphQLError(f"DateTime cannot represent an invalid date-time-string {value}.", node)
    try:
        milliseconds = read_instant(value.upper())
    except ValidationError:
        raise GraphQLError(f"DateTime cannot represent an invalid date-time-string {value}.", node) from None
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z".rjust(24, "0")


def _literal_text(node: ValueNode, kind: str) -> str:
    """Return the text of a string literal. Raises GraphQLError with the source of other literals."""
    if isinstance(node, StringValueNode):
        return node.value
    raise GraphQLError(f"{kind} {_raw(node)}", node)


def _raw(node: ValueNode) -> str:
    if isinstance(node, BooleanValueNode):
        return "true" if node.value else "false"
    return node.value if isinstance(node, IntValueNode | FloatValueNode | EnumValueNode) else "false"


def _day_literal(node: ValueNode, _: Variables = None) -> str:
    return _read_day(_literal_text(node, "Date cannot represent non string type"), node)


def _instant_literal(node: ValueNode, _: Variables = None) -> str:
    return _read_instant(_literal_text(node, "DateTime cannot represent non string or Date type"), node)


def _time_literal(node: ValueNode, _: Variables = None) -> str:
    if not isinstance(node, StringValueNode):
        raise RefusedValue("Time cannot represent non string type")
    return read_time(node.value)


def _read_long(value: Any, node: ValueNode | None = None) -> int:
    """Parse an integer of any size, given as a number or a text."""
    text = plain_text(value)
    trimmed = text.strip()
    if not may_be_number(text) or not _NUMBER.fullmatch(trimmed):
        raise RefusedValue(f"Cannot convert {text} to a BigInt")
    number = int(trimmed, 0) if trimmed[:2].lower() in ("0x", "0o", "0b") else int(trimmed or "0")
    if str(number) != text:
        raise GraphQLError(f"BigInt cannot represent value: {text}", node)
    return number


def _long_literal(node: ValueNode, _: Variables = None) -> int:
    if isinstance(node, BooleanValueNode):
        raise GraphQLError(f"BigInt cannot represent value: {_raw(node)}", node)
    if isinstance(node, StringValueNode | IntValueNode | FloatValueNode | EnumValueNode):
        return _read_long(node.value, node)
    raise GraphQLError(f"BigInt cannot represent non-integer value: {print_ast(node)}", node)


def _number(text: str) -> int | float:
    return exact_number(float(text))


def json_value(node: ValueNode, variables: Variables = None) -> Any:
    """Return the value of a JSON literal. Unquoted names are undefined."""
    match node:
        case StringValueNode() | BooleanValueNode():
            return node.value
        case IntValueNode() | FloatValueNode():
            return _number(node.value)
        case ListValueNode():
            return [_or_null(json_value(item, variables)) for item in node.values]
        case ObjectValueNode():
            members = ((field.name.value, json_value(field.value, variables)) for field in node.fields)
            return {name: value for name, value in members if value is not Undefined}
        case NullValueNode():
            return None
        case VariableNode():
            return (variables or {}).get(node.name.value, Undefined)
        case _:
            return Undefined


def _or_null(value: Any) -> Any:
    return None if value is Undefined else value


def _read_upload(value: Any) -> UploadedFile:
    if not isinstance(value, UploadedFile):
        raise GraphQLError("Upload value invalid.")
    return value


def _upload_literal(node: ValueNode, _: Variables = None) -> Any:
    raise GraphQLError("Upload literal unsupported.", node)


def _locale_literal(node: ValueNode, _: Variables = None) -> str:
    if not isinstance(node, StringValueNode):
        raise RefusedValue("Locale cannot represent non string type")
    if node.value not in LOCALE_CODES:
        raise RefusedValue("Unknown locale supplied")
    return node.value


def _scalar(
    name: str,
    description: str | None,
    read: Callable[[Any], Any] = lambda value: value,
    literal: Callable[..., Any] = json_value,
    write: Callable[[Any], Any] | None = None,
    specified_by: str | None = None,
) -> GraphQLScalarType:
    return GraphQLScalarType(
        name,
        description=description,
        parse_value=read,
        parse_literal=literal,
        serialize=write,
        specified_by_url=specified_by,
    )


DATE: Final = _scalar(
    "Date", f"A date string, such as 2007-12-03, {_RFC_3339.format(kind='full-date')}", _read_day, _day_literal
)
DATE_TIME: Final = _scalar(
    "DateTime",
    f"A date-time string at UTC, such as 2007-12-03T10:15:30Z, {_RFC_3339.format(kind='date-time')}",
    _read_instant,
    _instant_literal,
)
TIME: Final = _scalar("Time", "A time string with format HH:mm:ss.SSS", read_time, _time_literal)
LONG: Final = _scalar(
    "Long",
    "The `BigInt` scalar type represents non-fractional signed whole numeric values.",
    _read_long,
    _long_literal,
    lambda value: number_text(value) if isinstance(value, float) else str(value),
)
_ECMA_404: Final = "http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf"
JSON: Final = _scalar(
    "JSON",
    f"The `JSON` scalar type represents JSON values as specified by [ECMA-404]({_ECMA_404}).",
    specified_by=_ECMA_404,
)
UPLOAD: Final = _scalar("Upload", "The `Upload` scalar type represents a file upload.", _read_upload, _upload_literal)
LOCALE_CODE: Final = _scalar("I18NLocaleCode", "A string used to identify an i18n locale", literal=_locale_literal)

SCALARS: Final[dict[ValueKind, GraphQLScalarType]] = {
    ValueKind.STRING: GraphQLString,
    ValueKind.TEXT: GraphQLString,
    ValueKind.INTEGER: GraphQLInt,
    ValueKind.BIG_INTEGER: LONG,
    ValueKind.FLOAT: GraphQLFloat,
    ValueKind.DECIMAL: GraphQLFloat,
    ValueKind.BOOLEAN: GraphQLBoolean,
    ValueKind.DATE: DATE,
    ValueKind.TIME: TIME,
    ValueKind.DATETIME: DATE_TIME,
    ValueKind.TIMESTAMP: DATE_TIME,
    ValueKind.JSON: JSON,
}
