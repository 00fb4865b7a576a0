// `octavo types --python`: what pyright makes of it and of code that uses it (mypy's word is in the suite).

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "typed/python");
const options = {
  include: ["content.py", "use.py"],
  extraPaths: [join(import.meta.dirname, "../../src")],
  typeCheckingMode: "strict",
  reportUnnecessaryTypeIgnoreComment: "error",
  pythonVersion: "3.11",
};
writeFileSync(join(folder, "pyrightconfig.json"), JSON.stringify(options));
execFileSync("npx", ["pyright", "--pythonpath", process.env.OCTAVO_PYTHON, "--project", folder], { cwd: import.meta.dirname, stdio: "inherit" });
