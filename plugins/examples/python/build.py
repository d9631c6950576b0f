"""Builds the component and puts it beside extension.toml."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
COMPONENT = "diction.wasm"


def main():
    beside = Path(sys.executable).with_name("componentize-py")
    tool = shutil.which("componentize-py", path=str(beside.parent)) or shutil.which("componentize-py")
    if tool is None:
        sys.exit("componentize-py is not here; call `pip install -r requirements.txt` in this Python's environment first")
    command = [tool, "--quiet", "--wit-path", "wit", "--world", "extension"]
    command += ["componentize", "--stub-wasi", "--python-path", "src", "app", "--output", COMPONENT]
    done = subprocess.run(command, cwd=ROOT)
    if done.returncode == 0:
        print(ROOT / COMPONENT)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
