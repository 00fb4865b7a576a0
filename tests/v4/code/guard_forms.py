"""Forms in which a v4 project's code calls a function that may throw: by import, call and location.

`cases` generates them. Each exists twice: with a function that throws, and with one that only logs.
`record_guard_forms` recorded v4's behavior in `guard_forms.json`.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from octavo.core.values import dataclass

THROWS: Final = "refuses"
LOGS: Final = "notes"
ACTS: Final = {THROWS: "throw new Error('locked');", LOGS: "console.log('noted');"}

GUARDS: Final[Mapping[str, str]] = {
    "named.js": "exports.locked = (id) => { ACT };",
    "object.js": "module.exports = { locked(id) { ACT }, idle() {} };",
    "arrows.js": "const locked = async (id) => { ACT };\nmodule.exports = { locked };",
    "assigned.js": "const guard = {};\nguard.locked = function (id) { ACT };\nmodule.exports = guard;",
    "dotted.js": "module.exports.locked = async function (id) { ACT };",
    "function.js": "module.exports = (id) => { ACT };",
    "class.js": "class Guard { static single = new Guard(); locked(id) { ACT } static barred(id) { ACT } }\n"
    "module.exports = Guard;",
    "field.js": "module.exports = class { locked = (id) => { ACT }; };",
    "built.js": "module.exports = class { constructor(id) { this.check(id); } check(id) { ACT } };",
    "instance.js": "class Guard { locked(id) { this.check(id); } check(id) { ACT } }\nmodule.exports = new Guard();",
    "heir.js": "const Guard = require('./class');\nmodule.exports = class extends Guard { idle() {} };",
    "factory.js": "module.exports = ({ strapi }) => ({ locked(id) { ACT } });",
    "again.js": "module.exports = require('./object');",
    "spread.js": "module.exports = { ...require('./object') };",
    "rules.js": "module.exports = { rules: require('./object') };",
    "picked.js": "const { locked } = require('./object');\nmodule.exports = { locked };",
    "deep.js": "const inner = require('./rules');\nexports.locked = async (id) => { await inner.rules.locked(id); };",
    "bound.js": "exports.locked = require('./object').locked.bind(null);",
    "private.js": "module.exports = class { locked(id) { this.#check(id); } #check(id) { ACT } };",
    "prototype.js": "function Guard() {}\nGuard.prototype.locked = function (id) { ACT };\nmodule.exports = Guard;",
    "getter.js": "module.exports = { get locked() { return (id) => { ACT }; } };",
    "merged.js": "Object.assign(exports, require('./object'));",
    "under/index.js": "exports.locked = require('../object').locked;",
    "siblings.js": "module.exports = { locked(id) { this.check(id); }, check(id) { ACT } };",
    "es.ts": "const barred = (id: number) => { ACT };\nexport const locked = (id: number): void => { barred(id); };\n"
    "export default { locked };",
    "es-function.ts": "export default function locked(id: number) { ACT }",
    "es-class.ts": "class Guard { private id = 1; locked(id: number) { ACT } }\nexport default new Guard();",
    "es-all.ts": "export * from './es';",
    "es-picked.ts": "export { locked as barred, default } from './es';",
    "es-under.ts": "export * as rules from './es';",
}
"""Helper files. ACT is the body of the function."""


@dataclass(frozen=True, slots=True)
class Source:
    """A way to reach the function: the head of the file, the called expression, and other required code."""

    function: str
    head: str = ""
    typed: bool = False
    before: str = ""
    """A statement before the call."""
    members: str = ""
    """Siblings of a hook. Such a source is only valid in hooks."""
    outside: bool = False
    """Cannot be followed: the function is in no file of the project."""


def _required(file: str, function: str = "guard.locked", name: str = "guard") -> Source:
    return Source(function, f"const {name} = require('DIR/{file}');")


def _imported(clause: str, file: str, function: str) -> Source:
    return Source(function, f"import {clause} from 'DIR/{file}';", typed=True)


SOURCES: Final[Mapping[str, Source]] = {
    **{
        name: _required(name)
        for name in (
            *("named", "object", "arrows", "assigned", "dotted", "instance", "again", "spread", "picked", "deep"),
            *("bound", "siblings", "getter", "merged", "under"),
        )
    },
    "inline": Source("require('DIR/object').locked"),
    "destructured": _required("object", "locked", "{ locked }"),
    "renamed": _required("object", "check", "{ locked: check }"),
    "whole function": _required("function", "guard"),
    "rules": _required("rules", "guard.rules.locked"),
    "computed": _required("object", "guard['locked']"),
    "static": _required("class", "Guard.barred", "Guard"),
    "new": _required("class", "new Guard().locked", "Guard"),
    "kept instance": Source("guard.locked", "const Guard = require('DIR/class');\nconst guard = new Guard();"),
    "single": _required("class", "Guard.single.locked", "Guard"),
    "heir": _required("heir", "new Guard().locked", "Guard"),
    "static of heir": _required("heir", "Guard.barred", "Guard"),
    "field": _required("field", "new Guard().locked", "Guard"),
    "private": _required("private", "new Guard().locked", "Guard"),
    "prototype": _required("prototype", "new Guard().locked", "Guard"),
    "factory": _required("factory", "makeGuard({ strapi }).locked", "makeGuard"),
    "made": Source("guard.locked", "const makeGuard = require('DIR/factory');", before="const guard = makeGuard({});"),
    "let": Source("guard.locked", "let guard = null;\nguard = require('DIR/object');"),
    "es default": _imported("guard", "es", "guard.locked"),
    "es all": _imported("* as guard", "es", "guard.locked"),
    "es named": _imported("{ locked }", "es", "locked"),
    "es renamed": _imported("{ locked as check }", "es", "check"),
    "es default of all": _imported("* as guard", "es", "guard.default.locked"),
    "es function": _imported("locked", "es-function", "locked"),
    "es class": _imported("guard", "es-class", "guard.locked"),
    "es again": _imported("{ locked }", "es-all", "locked"),
    "es again all": _imported("* as guard", "es-all", "guard.locked"),
    "es picked": _imported("{ barred }", "es-picked", "barred"),
    "es picked default": _imported("guard", "es-picked", "guard.locked"),
    "es under": _imported("{ rules }", "es-under", "rules.locked"),
    "es required": Source("guard.locked", "import guard = require('DIR/object');", typed=True),
    "dynamic": Source("guard.locked", before="const guard = await import('DIR/object.js');"),
    "own function": Source("locked", "function locked(id) { ACT }"),
    "own arrow": Source("locked", "const locked = async (id) => { ACT };"),
    "own object": Source("guard.locked", "const guard = { locked: (id) => { ACT } };"),
    "own static": Source("Guard.locked", "class Guard { static locked(id) { ACT } }"),
    "own class": Source("new Guard().locked", "class Guard { locked(id) { ACT } }"),
    "local": Source("locked", before="const locked = (id) => { ACT };"),
    "this": Source("this.check", members="check(id) { ACT },"),
    "service": Source("strapi.service('api::lock.lock').KIND"),
    "services": Source("strapi.services['api::lock.lock'].KIND"),
    "kept service": Source("lock.KIND", before="const lock = strapi.service('api::lock.lock');"),
    "service of api": Source("strapi.api.lock.services.lock.KIND"),
    "plugin": Source("strapi.plugin('gate').service('lock').KIND"),
    "plugins": Source("strapi.plugins.gate.services.lock.KIND"),
    "plugin by name": Source("strapi.service('plugin::gate.lock').KIND"),
    "service by constant": Source("strapi.service(LOCK).KIND", "const LOCK = 'api::lock.lock';"),
    "service that is added": Source("strapi.plugin('upload').service('lock').KIND", outside=True),
    "config": Source("strapi.config.lock.KIND", outside=True),
    "config by name": Source("strapi.config.get('lock').KIND", outside=True),
    "everywhere": Source("global.guard.KIND", outside=True),
    "of strapi": Source("strapi.guard.KIND", outside=True),
    "package": Source("guard.KIND", "const guard = require('lock-guard');", outside=True),
    "of package": Source("KIND", "const { KIND } = require('lock-guard');", outside=True),
    "imported package": Source("guard.KIND", "import guard from 'lock-guard';", typed=True, outside=True),
    "class of package": Source(
        "guard.KIND", "const { Guard } = require('lock-guard');\nconst guard = new Guard();", outside=True
    ),
}

CALLS: Final[Mapping[str, str]] = {
    "alone": "FN(7);",
    "await": "await FN(7);",
    "optional": "FN?.(7);",
    "call": "FN.call(null, 7);",
    "apply": "await FN.apply(null, [7]);",
    "bind": "await FN.bind(null, 7)();",
    "alias": "const check = FN; await check(7);",
    "and": "ARG && FN(7);",
    "ternary": "ARG ? await FN(7) : null;",
    "if": "if (ARG) { await FN(7); }",
    "loop": "for (const one of [7, 8]) { await FN(one); }",
    "then": "await Promise.resolve(7).then((one) => FN(one));",
    "then taken": "await Promise.resolve({ free: FN }).then(({ free }) => free(7));",
    "then passed": "await Promise.resolve(7).then(FN);",
    "then after": "return Promise.resolve(FN(7)).then(() => undefined);",
    "all": "await Promise.all([7].map(async (one) => FN(one)));",
    "all passed": "await Promise.all([7].map(FN));",
    "all listed": "await Promise.all([FN(7), 8]);",
    "each": "[7].forEach((one) => { FN(one); });",
    "each passed": "[7].forEach(FN);",
    "returned": "return FN(7);",
    "inner": "const run = async () => { await FN(7); }; await run();",
    "later": "const waiting = FN(7); await waiting;",
    "with all": "const free = FN(ARG);",
    "with a copy": "const free = FN({ ...ARG });",
    "condition": "if (FN(ARG)) { console.log('free'); }",
    "logged": "console.log(FN(7));",
    "text": "const text = `${FN(ARG)}`;",
    "comma": "0, FN(7);",
    "not": "!FN(7);",
    "caught and thrown": "try { await FN(7); } catch (error) { throw error; }",
    "finally": "try { await FN(7); } finally { console.log('seen'); }",
    "caught": "try { await FN(7); } catch (error) { console.error(error); }",
    "caught later": "await Promise.resolve(7).then(FN).catch(() => null);",
    "never": "const never = () => FN(7);",
    "mentioned": "console.log(typeof FN);",
}

_FEW_SOURCES: Final = (
    "object",
    "destructured",
    "es default",
    "new",
    "this",
    "service",
    "plugin",
    "of strapi",
    "package",
)
_FEW_CALLS: Final = ("alone", "await", "call", "alias", "then passed", "with all", "caught")
_EACH: Final = ("object", "own class", "service", "package")

HOOKS: Final = ("beforeCreate", "beforeUpdate", "beforeDelete", "beforeFindMany")
SUBSCRIBED: Final = "subscribed beforeCreate"
PLACES: Final = (*HOOKS, SUBSCRIBED, "policy", "middleware", "controller")
_CROSSED: Final = "beforeDelete"


@dataclass(frozen=True, slots=True)
class Case:
    """A form. `kind` is what the function does."""

    place: str
    source: str
    call: str
    kind: str

    @property
    def is_typed(self) -> bool:
        return SOURCES[self.source].typed

    @property
    def is_outside(self) -> bool:
        return SOURCES[self.source].outside


def cases() -> Iterator[Case]:
    """Yield all forms: all sources and calls in one location, and each of them in every other location."""
    for place in PLACES:
        for source in SOURCES:
            for call in CALLS:
                crossed = source in _FEW_SOURCES or call in _FEW_CALLS
                once = call == "await" or source in _EACH
                is_hook = place in HOOKS or place == SUBSCRIBED
                if (crossed if place == _CROSSED else once) and (is_hook or not SOURCES[source].members):
                    for kind in ACTS:
                        yield Case(place, source, call, kind)


def written(case: Case, folder: str, uid: str) -> str:
    """Return a case's code in its location. `folder` is the path to the helper files, `uid` the content type."""
    source = SOURCES[case.source]
    is_hook = case.place in HOOKS or case.place == SUBSCRIBED
    arg = "event.params" if is_hook else "ctx"
    body = f"{source.before} {CALLS[case.call].replace('ARG', arg).replace('FN', source.function)}"
    exported = "export default" if case.is_typed else "module.exports ="
    match case.place:
        case "policy":
            code = f"{exported} async (ctx, config, {{ strapi }}) => {{ {body} return true; }};"
        case "middleware":
            code = f"{exported} (config, {{ strapi }}) => async (ctx, next) => {{ {body} await next(); }};"
        case "controller":
            action = f"async create(ctx) {{ {body} return super.create(ctx); }}"
            factory = "require('@strapi/strapi').factories.createCoreController"
            code = f"{exported} {factory}('{uid}', ({{ strapi }}) => ({{ {action} }}));"
        case _:
            event = case.place.rpartition(" ")[2]
            code = f"{exported} {{ {source.members} async {event}(event) {{ {body} }} }};"
    text = f"{source.head}\n{code}\n"
    return text.replace("DIR", f"{folder}/{case.kind}").replace("ACT", ACTS[case.kind]).replace("KIND", case.kind)


def shared() -> dict[str, str]:
    """Return the files that all cases use, relative to the project."""
    files = {
        f"src/guards/{kind}/{name}": text.replace("ACT", act)
        for kind, act in ACTS.items()
        for name, text in GUARDS.items()
    }
    both = " ".join(f"{kind}(id) {{ {act} }}," for kind, act in ACTS.items())
    files["config/lock.js"] = f"module.exports = {{ {both} }};"
    files["src/extensions/upload/strapi-server.js"] = (
        f"module.exports = (plugin) => {{ plugin.services.lock = () => ({{ {both} }}); return plugin; }};"
    )
    files["src/api/lock/services/lock.js"] = f"module.exports = ({{ strapi }}) => ({{ {both} }});"
    files["src/plugins/gate/package.json"] = '{"name": "gate", "strapi": {"kind": "plugin", "name": "gate"}}'
    files["src/plugins/gate/strapi-server.js"] = "module.exports = require('./server');"
    files["src/plugins/gate/server/index.js"] = "module.exports = { services: require('./services') };"
    files["src/plugins/gate/server/services/index.js"] = "module.exports = { lock: require('./lock') };"
    files["src/plugins/gate/server/services/lock.js"] = f"module.exports = ({{ strapi }}) => ({{ {both} }});"
    methods = " ".join(f"{kind}(id) {{ {act} }}" for kind, act in ACTS.items())
    files["src/node_modules/lock-guard/index.js"] = (
        f"class Guard {{ {methods} }}\nmodule.exports = {{ {both} Guard, default: {{ {both} }}, __esModule: true }};"
    )
    return files
