"""Loading a project's code: what is found, how it is called, what is wrong and where."""

import sys
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
async def test_what_is_found_and_by_which_name(tmp_path: Path) -> None:
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


def test_what_editors_leave_behind_is_not_run(tmp_path: Path) -> None:
    write(tmp_path, policies__good="def policy(context): return True\n")
    (tmp_path / "src/policies/.#good.py").symlink_to("somebody@somewhere.4711:1")
    assert set(load_code(tmp_path).policies) == {"global::good"}


def test_what_is_loaded_can_be_forgotten(tmp_path: Path) -> None:
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
    assert code.register[0].call(None) == "so"  # who still runs goes on


def test_two_projects_do_not_meet(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(
            tmp_path / name, index="from .lib import WORD\ndef register(app): return WORD\n", lib=f"WORD = '{name}'\n"
        )
    one, two = (load_code(tmp_path / name).register[0] for name in ("one", "two"))
    assert one is not None
    assert two is not None
    assert (one.call(None), two.call(None)) == ("one", "two")


def test_everything_that_is_wrong_is_told_at_once_with_its_place(tmp_path: Path) -> None:
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
    takes_others = "takes other arguments than it is called with: (context, config)"
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
