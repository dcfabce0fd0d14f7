"""Starting and ending: one line with the address, loopback only, its own folder, an end when nobody asks."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path
from urllib.request import urlopen

import pytest

from discreet.app.serve import AppOptions, address, listening, open_browser, refuse_far, serve, take_up
from discreet.errors import InputError
from tests.app.served import Served, served
from tests.commands import DEMO

pytestmark = pytest.mark.xdist_group("app")


def test_others_do_not_reach_it_by_mistake() -> None:
    refuse_far(AppOptions())
    refuse_far(AppOptions(host="localhost"))
    refuse_far(AppOptions(host="0.0.0.0", i_know=True))
    for host in ("0.0.0.0", "::", "192.168.1.2", "myhost"):
        with pytest.raises(InputError, match="--i-know"):
            refuse_far(AppOptions(host=host))


def test_a_port_that_is_taken_is_said() -> None:
    with listening("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        with pytest.raises(InputError, match="leave it out"), listening("127.0.0.1", port):
            pass


def test_table_and_policy_of_the_command_line_are_under_the_folder(tmp_path: Path) -> None:
    with served(tmp_path) as app:
        for options in (AppOptions(table=str(DEMO / "bank.csv")), AppOptions(policy=DEMO / "bank.yaml")):
            with pytest.raises(InputError, match="--folder"):
                take_up(app.desk, options)
    with served(tmp_path) as app:
        for name in ("bank.csv", "bank.yaml"):
            (tmp_path / name).write_bytes((DEMO / name).read_bytes())
        take_up(app.desk, AppOptions(table=str(tmp_path / "bank.csv"), policy=tmp_path / "bank.yaml"))
        assert app.desk.now.table == "bank.csv"
        assert app.desk.reading.policy is not None


def test_it_ends_itself_when_nobody_asks(tmp_path: Path) -> None:
    app = Served(tmp_path)
    with listening("127.0.0.1", 0) as bound:
        ended = threading.Thread(target=serve, args=(app.web, bound, 0.001))
        ended.start()
        ended.join(60)
        assert not ended.is_alive()
    app.desk.end()


@pytest.mark.process
def test_it_prints_one_line_and_ends_well(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "discreet", "app", "--folder", str(tmp_path), "--no-browser"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    with urlopen(url, timeout=120) as answer:
        assert answer.status == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert out == "", "one line, and no more"
    assert err == "", "nothing is logged"


def test_the_browser_is_told_the_address_by_a_private_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other users see what programs are started with."""
    told: list[str] = []
    heard = threading.Event()

    def browse(url: str) -> None:
        told.append(url)
        heard.set()

    monkeypatch.setattr("webbrowser.open", browse)
    url = address("127.0.0.1", 8000, "TOKEN")
    open_browser(tmp_path, url)
    assert heard.wait(60)
    assert "TOKEN" not in told[0]
    page = tmp_path / "open.html"
    assert url in page.read_text()
    assert oct(page.stat().st_mode)[-3:] == "600"


def test_no_secret_of_a_start_is_printed_with_it(tmp_path: Path) -> None:
    with served(tmp_path) as app:
        shown = repr(app.entrance)
        for secret in (app.entrance.token, app.entrance.cookie, app.entrance.form):
            assert str(secret) not in shown


@pytest.mark.slow
def test_the_library_loads_nothing_of_it() -> None:
    code = (
        "import sys\nimport discreet\ndiscreet.Policy\nimport discreet.cli.app\n"
        "print([name for name in sys.modules if name.startswith(('discreet.app', 'starlette', 'uvicorn', 'jinja2'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"
