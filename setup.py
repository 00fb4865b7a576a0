"""What pyproject.toml cannot say: the wheel carries the sample project, which `octavo new` copies."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SAMPLE = Path(__file__).parent / "examples" / "magazine"
PARTS = ("config", "seed", "src", ".gitignore")


class BuildWithSample(build_py):
    """Copies the sample project into the package. A working copy is used as it is and needs none."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "octavo" / "sample"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for part in PARTS:
            source = SAMPLE / part
            copy = shutil.copytree if source.is_dir() else shutil.copyfile
            copy(source, target / part)


setup(cmdclass={"build_py": BuildWithSample})
