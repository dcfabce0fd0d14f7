"""Strangers are kept out: other hosts, other sites, no token, a token twice, too much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.served import HERE, OWN, PORT, Served, served

pytestmark = pytest.mark.xdist_group("app")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as found:
        yield found


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        f"127.0.0.1:{PORT + 1}",
        "",
        f"127.0.0.1.evil.example:{PORT}",
    ],
)
def test_a_foreign_host_is_refused(app: Served, host: str) -> None:
    app.enter()
    assert app.client.get("/table", headers={"host": host}).status_code == 400
    assert app.client.get("/open", params={"token": "x"}, headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"])
def test_its_own_names_are_answered(app: Served, host: str) -> None:
    app.enter()
    cookie = f"{app.entrance.cookie_name}={app.entrance.cookie}"
    assert app.client.get("/table", headers={"host": host, "cookie": cookie}).status_code == 200


def test_two_host_headers_are_refused(app: Served) -> None:
    app.enter()
    answer = app.client.get("/table", headers=[("host", f"127.0.0.1:{PORT}"), ("host", "evil.example")])
    assert answer.status_code == 400


@pytest.mark.parametrize("path", ["/", "/table", "/events", "/static/app.css", "/columns/live/alone", "/nothing"])
def test_nothing_is_answered_without_the_cookie(app: Served, path: str) -> None:
    assert app.client.get(path).status_code == 403
    assert app.client.get(path, headers={"cookie": f"{app.entrance.cookie_name}=guess"}).status_code == 403


def test_a_token_opens_once(app: Served) -> None:
    token = app.entrance.token or ""
    assert app.client.get("/open", params={"token": token[:-1]}).status_code == 403
    first = app.client.get("/open", params={"token": token})
    assert first.status_code == 200
    said = first.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    app.client.cookies.clear()
    again = app.client.get("/open", params={"token": token})
    assert again.status_code == 403
    assert "set-cookie" not in again.headers
    assert app.client.get("/table").status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
        {"origin": "https://evil.example"},
        {"origin": "null", "sec-fetch-site": "same-origin"},
        {"origin": f"http://127.0.0.1:{PORT + 1}", "sec-fetch-site": "same-site"},
        {"origin": HERE, "sec-fetch-site": "cross-site"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {},
    ],
)
def test_other_sites_change_nothing(app: Served, headers: dict[str, str], tmp_path: Path) -> None:
    app.enter()
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    said = {"token": app.entrance.form, "path": "a.csv"}
    assert app.client.post("/table/open", data=said, headers=headers).status_code == 403
    assert app.desk.now.table is None
    assert app.client.put("/upload?name=b.csv", content=b"x\n1\n", headers=headers).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_read_nothing(app: Served, site: str) -> None:
    app.enter()
    assert app.client.get("/table", headers={"sec-fetch-site": site}).status_code == 403
    assert app.client.get("/events", headers={"sec-fetch-site": site}).status_code == 403


def test_a_form_of_somebody_else_changes_nothing(app: Served) -> None:
    app.enter()
    for token in ("", "guess", app.entrance.cookie):
        assert app.client.post("/table/open", data={"token": token, "path": "a"}, headers=OWN).status_code == 403
        assert app.client.post("/step/forget", data={"token": token}, headers=OWN).status_code == 403
    answer = app.client.put("/upload?name=b.csv", content=b"x\n1\n", headers={**OWN, "x-discreet-token": "guess"})
    assert answer.status_code == 403


@pytest.mark.parametrize("method", ["DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(app: Served, method: str) -> None:
    app.enter()
    assert app.client.request(method, "/table", headers=OWN).status_code == 405


def test_every_answer_says_what_browsers_must_know(app: Served) -> None:
    app.enter()
    for path in ("/table", "/static/app.css", "/nothing", "/open"):
        headers = app.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


def test_nothing_is_inline_and_nothing_comes_from_outside(app: Served) -> None:
    app.enter()
    for screen in ("table", "columns", "groups", "promises", "release", "attacks", "compare", "publish"):
        text = app.page(f"/{screen}")
        assert "style=" not in text
        assert " on" + "click" not in text
        assert "<script>" not in text
        assert "http://" not in text.replace("http://www.w3.org/", "")
        assert "https://" not in text


def test_too_much_is_refused(app: Served) -> None:
    app.enter()
    headers = {**OWN, "x-discreet-token": app.entrance.form}
    assert app.client.post("/table/open", content=b"x" * 3_000_000, headers=OWN).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b"1,2\n" * 25_000

    answer = app.client.put("/upload?name=big.csv", content=endless(), headers=headers)
    assert answer.status_code == 413
    assert list(app.desk.sitting.dropped.iterdir()) == []
    said = app.client.put("/upload?name=big.csv", content=b"", headers={**headers, "content-length": "2000000000"})
    assert said.status_code == 413
    assert app.desk.now.table is None


def test_a_form_with_too_many_fields_is_refused(app: Served) -> None:
    app.enter()
    body = "&".join(f"a{number}=1" for number in range(6000))
    answer = app.client.post("/table/open", content=body, headers=OWN)
    assert answer.status_code in (403, 422)


def test_an_error_tells_no_value(app: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    app.enter()
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)

    def fail(*_: object) -> None:
        raise RuntimeError("Mr Secret has the flu")

    monkeypatch.setattr(type(app.desk.folder), "tables", fail)
    answer = app.client.get("/table")
    assert answer.status_code == 500
    assert "Secret" not in answer.text
    assert "RuntimeError" in answer.text
