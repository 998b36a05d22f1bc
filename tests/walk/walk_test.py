"""walk_test.py ASSAY: what docs/writing-a-driver.md shows of the walk is so.

The page names the file that a reader has by now in a comment, `<!-- tests/walk/1_empty.py -->`. Python that is shown is
in that file, and a block that begins with `$ ./assay` is run with it as tiny_queue.py: the lines shown come in that
order, others may stand between. Numbers may be others, since scenarios and rules are added; tokens, too.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/writing-a-driver.md"

errors = []


def blocks(text):
    """(stage, language, lines) of each fenced block."""
    stage, block = None, None
    for line in text.splitlines():
        named = re.fullmatch(r"<!-- (tests/walk/\S+) -->", line)
        if named:
            stage = ROOT / named[1]
        elif not line.startswith("```"):
            if block is not None:
                block.append(line)
        elif block is None:
            language, block = line[3:], []
        else:
            yield stage, language, block
            block = None


def plain(line):
    line = re.sub(r"assay1-\S+", "assay1-", line.strip())
    line = re.sub(r"^\S*assay\S* replay", "./assay replay", line)
    line = re.sub(r", (\d+ h )?(\d+ min )?\d[\d.]* (ms|s)$", ", so long", line)
    return re.sub(r"(?<![\w-])\d[\d,.]*", "#", line)


def stands_in(text, other):
    """Whether `text` stands in `other`, however deep it is indented there."""
    want = [line.strip() for line in text if line.strip()]
    have = [line.strip() for line in other.splitlines() if line.strip()]
    return any(have[i : i + len(want)] == want for i in range(len(have)))


class Reader:
    """Somebody who types what the page tells them to."""

    def __init__(self, assay, folder):
        self.assay, self.folder, self.token, self.commands = assay, folder, None, 0

    def type(self, line):
        words = shlex.split(line[len("$ ./assay") :])
        if words[0] == "replay":
            words[1] = self.token
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "drivers/sdk/python"), "PYTHONDONTWRITEBYTECODE": "1"}
        ended = subprocess.run([self.assay, *words], cwd=self.folder, env=environment, capture_output=True, text=True)
        found = re.findall(r" replay (assay1-\S+)", ended.stdout)
        self.token = found[-1] if found else self.token
        self.commands += 1
        return ended

    def follow(self, block):
        output, ended = [], None
        for line in block:
            if line.startswith("$ ./assay "):
                command, ended = line, self.type(line)
                output = [plain(l) for l in ended.stdout.splitlines()]
            elif line == "$ echo $?":
                output = [plain(str(ended.returncode)), str(ended.returncode)]
            elif line.strip() not in ("", "..."):
                want = line if line.isdigit() else plain(line)
                if want in output:
                    del output[: output.index(want) + 1]
                else:
                    errors.append(f"{command}\n  does not say: {line}\n{ended.stdout}{ended.stderr}")
                    return


def main():
    with tempfile.TemporaryDirectory() as folder:
        reader, shown = Reader(sys.argv[1], folder), 0
        for stage, language, block in blocks(PAGE.read_text()):
            if stage is None:
                continue
            shutil.copy(stage, Path(folder) / "tiny_queue.py")
            if language == "python":
                shown += 1
                if not stands_in(block, stage.read_text()):
                    errors.append(f"{stage} does not hold what is shown:\n" + "\n".join(block))
            elif block and block[0].startswith("$ ./assay "):
                reader.follow(block)
    print(f"{shown} pieces of code, {reader.commands} commands")
    if shown < 4 or reader.commands < 5:
        errors.append(f"the walk has vanished from {PAGE}")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
