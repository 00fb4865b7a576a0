"""Loading a project's code: found modules, how they are called, and errors with their location."""

import builtins
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.project import InvalidCode, function_at, load_code
from octavo.project.functions import place_of


def write(project: Path, **files: str) -> Path:
    for name, text in files.items():
        path = project / "src" / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return project


def problems(project: Path) -> list[str]:
    with pytest.raises(InvalidCode) as caught:
        load_code(project)
    return [str(problem) for problem in caught.value.problems]


def test_a_project_without_code(tmp_path: Path) -> None:
    code = load_code(tmp_path)
    assert (code.register, code.bootstrap, dict(code.policies), dict(code.middlewares)) == ((), (), {}, {})


async def _call(function: object) -> object:
    return await function("a", "b")  # type: ignore[operator]


@pytest.mark.anyio
async def test_modules_and_their_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        index="from .lib.words import WORD\nasync def register(app): return WORD + app\n",
        lib__words="WORD = 'so '\n",
        policies__is_owner="def policy(context): return context\n",
        api__book__policies__own="async def policy(*given): return given\n",
        middlewares__slow="async def middleware(next, parent, args, context, info): return next\n",
        api__book__middlewares__own="def middleware(next): return next\n",
    )
    code = load_code(tmp_path)
    assert await code.register[0]("it is") == "so it is"
    assert code.bootstrap == ()
    assert set(code.policies) == {"global::is_owner", "api::book.own"}
    assert set(code.middlewares) == {"global::slow", "api::book.own"}
    assert await code.policies["global::is_owner"]("a", "b") == "a"
    assert await code.policies["api::book.own"]("a", "b") == ("a", "b")
    assert await code.middlewares["api::book.own"](1, 2, 3, 4, 5) == 1


def test_files_of_editors_are_not_run(tmp_path: Path) -> None:
    write(tmp_path, policies__good="def policy(context): return True\n")
    (tmp_path / "src/policies/.#good.py").symlink_to("somebody@somewhere.4711:1")
    assert set(load_code(tmp_path).policies) == {"global::good"}


def test_modules_can_be_unloaded(tmp_path: Path) -> None:
    write(tmp_path, index="from .lib import WORD\ndef register(app): return WORD\n", lib="WORD = 'so'\n")
    code = load_code(tmp_path)
    package = code.packages[0]
    assert {name for name in sys.modules if name.startswith(f"{package}")} == {
        str(package),
        f"{package}.index",
        f"{package}.lib",
    }
    code.unload()
    assert [name for name in sys.modules if name.startswith(f"{package}")] == []
    assert code.register[0].call(None) == "so"  # running code continues


def test_two_projects_do_not_meet(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(
            tmp_path / name, index="from .lib import WORD\ndef register(app): return WORD\n", lib=f"WORD = '{name}'\n"
        )
    one, two = (load_code(tmp_path / name).register[0] for name in ("one", "two"))
    assert one is not None
    assert two is not None
    assert (one.call(None), two.call(None)) == ("one", "two")


def test_all_errors_are_reported_with_their_location(tmp_path: Path) -> None:
    write(
        tmp_path,
        index="import nothing_of_that_name\n",
        policies__broken="def policy(context:\n",
        policies__empty="x = 1\n",
        policies__greedy="def policy(context, config, app): return True\n",
        policies__number="policy = 3\n",
        policies__named="def policy(context, *, key): return True\n",
        middlewares__deep="def helper():\n    return 1 / 0\n\nhelper()\n",
    )
    takes_others = "must accept the arguments (context, config)"
    assert problems(tmp_path) == [
        "src/index.py:1 <module>: ModuleNotFoundError: No module named 'nothing_of_that_name'",
        "src/policies/broken.py:1: SyntaxError: '(' was never closed",
        "src/policies/empty.py: has no function `policy`",
        f"src/policies/greedy.py: policy: {takes_others}",
        f"src/policies/named.py: policy: {takes_others}",
        "src/policies/number.py: policy: expected a function of (context, config), not int",
        "src/middlewares/deep.py:2 helper: ZeroDivisionError: division by zero",
    ]


def test_code_that_ends_the_process_does_not(tmp_path: Path) -> None:
    write(tmp_path, index="raise SystemExit('enough')\n")
    assert problems(tmp_path) == ["src/index.py:1 <module>: SystemExit: enough"]


def test_callables_of_any_kind() -> None:
    class Callable:
        def __call__(self, first: int) -> int:
            return first

    assert function_at(Callable(), "here", "first, second").takes == 1
    assert function_at(max, "here", "first, second").takes == 2
    assert place_of(Callable(), Path()).endswith("Callable")


COUNTED = """
import builtins
builtins.octavo_runs = getattr(builtins, 'octavo_runs', []) + [__name__.partition('.')[2]]
"""
ROLES = {
    "index": "def register(app): pass\n",
    "cron": "def task(): pass\ntasks = {'0 0 * * *': task}\n",
    "policies__is_owner": "def policy(context): return True\n",
    "middlewares__slow": "def middleware(request, next): pass\n",
    "api__my-book__policies__own": "def policy(context): return True\n",
    "api__my-book__middlewares__own": "def middleware(request, next): pass\n",
    "api__my-book__controllers__my-book": "import octavo\nclass Book(octavo.Controller): pass\n",
    "api__my-book__services__my-book": "import octavo\nclass Book(octavo.Service): pass\n",
    "api__my-book__routes__own": "routes = []\n",
    "api__my-book__content-types__my-book__lifecycles": "def before_create(event): pass\n",
}


@pytest.fixture
def runs() -> Iterator[list[str]]:
    """Return the modules that were executed, without the package's name."""
    builtins.octavo_runs = []  # type: ignore[attr-defined]
    yield builtins.octavo_runs  # type: ignore[attr-defined]
    del builtins.octavo_runs  # type: ignore[attr-defined]


@pytest.mark.parametrize("imported", ROLES)
@pytest.mark.parametrize("way", ["import", "import_module", "late"])
def test_a_file_with_a_role_is_loaded_once(tmp_path: Path, imported: str, way: str, runs: list[str]) -> None:
    dotted = imported.replace("__", ".").replace("-", "_")
    ways = {
        "import": f"from .. import {dotted} as found\n"
        if "." not in dotted
        else f"from ..{dotted.rpartition('.')[0]} import {dotted.rpartition('.')[2]} as found\n",
        "import_module": f"import importlib\nfound = importlib.import_module('..{dotted}', __package__)\n",
        "late": f"import importlib\ndef late(): return importlib.import_module('..{dotted}', __package__)\n",
    }
    names = ("aa", "zz")  # before and after files with a role
    files = {role: COUNTED + text for role, text in ROLES.items()}
    files |= {f"policies__{name}": ways[way] + "def policy(context): return True\n" for name in names}
    write(tmp_path, **files)
    code = load_code(tmp_path)
    package = code.packages[0]
    for name in names:
        module = sys.modules[f"{package}.policies.{name}"]
        found = module.late() if way == "late" else module.found
        assert found is sys.modules[f"{package}.{dotted}"]
    assert sorted(builtins.octavo_runs) == sorted(name.replace("__", ".").replace("-", "_") for name in ROLES)  # type: ignore[attr-defined]
    code.unload()


def test_hyphens_of_names_do_not_hide_neighbours(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            "api__contact-form__lib__the-words": "WORD = 'so'\n",
            "api__contact-form__policies__own": "from ..lib.the_words import WORD\ndef policy(context): return WORD\n",
            "policies__is-owner": "def policy(context): return 1\n",
            "policies__is_owner": "def policy(context): return 2\n",
        },
    )
    policies = load_code(tmp_path).policies
    assert {name: policy.call(None) for name, policy in policies.items()} == {
        "api::contact-form.own": "so",
        "global::is-owner": 1,
        "global::is_owner": 2,
    }


def test_an_error_in_an_imported_file_is_reported_once(tmp_path: Path) -> None:
    write(tmp_path, index="from . import cron\n", cron="tasks = 1 / 0\n")
    assert problems(tmp_path) == ["src/cron.py:1 <module>: ZeroDivisionError: division by zero"]


def test_a_missing_module_below_a_hyphen_is_reported(tmp_path: Path) -> None:
    write(tmp_path, **{"api__contact-form__policies__own": "from ..lib import words\ndef policy(context): ...\n"})
    assert "ModuleNotFoundError" in problems(tmp_path)[0]
