"""What pyproject.toml cannot say: the wheel carries what is not in src, for `octavo new` and `octavo docs`."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
SAMPLE = ROOT / "examples" / "magazine"
PARTS = ("config", "seed", "src", ".gitignore")
DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Dockerfile",
    "docs/*.md",
    "docs/guides/*.md",
    "docs/tutorial/*.md",
    "docs/navigation.toml",
    "examples/compose/*",
    "examples/compose/.dockerignore",
    "examples/fail2ban/*",
    "examples/grafana/*",
    "examples/kubernetes/*",
    "examples/prometheus/*",
    "examples/proxies/*",
    "examples/systemd/*",
    "examples/varnish/*",
)


class BuildWithSample(build_py):
    """Copies the sample project and the manual into the package. A working copy is used as it is and needs none."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            package = Path(self.build_lib) / "octavo"
            self.copy_sample(package / "sample")
            self.copy_documents(package / "documents")
            self.build_site(package / "documents/site")

    def copy_sample(self, target: Path) -> None:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for part in PARTS:
            source = SAMPLE / part
            copy = shutil.copytree if source.is_dir() else shutil.copyfile
            copy(source, target / part)

    def copy_documents(self, target: Path) -> None:
        shutil.rmtree(target, ignore_errors=True)
        for source in sorted(path for pattern in DOCUMENTS for path in ROOT.glob(pattern)):
            copy = target / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)

    def build_site(self, target: Path) -> None:
        """Build the documentation site, for `octavo docs --browser`. An image without Zensical goes without it."""
        if find_spec("zensical") is None:
            self.warn("Zensical is not installed: the package has no documentation site for the browser")
            return
        subprocess.run([sys.executable, str(ROOT / "scripts/docs_site.py"), str(target)], check=True)


setup(cmdclass={"build_py": BuildWithSample})
