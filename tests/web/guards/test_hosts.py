"""A page answers under its own names only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.errors import InvalidParameter
from commensurate.web.guards.hosts import AllowedHosts, hosts_for
from worlds.asgi_calls import Counted, call

HOSTS = hosts_for("127.0.0.1", 8765, "https://study.example.org")


def asked(*hosts, **named):
    app = Counted()
    answer = call(AllowedHosts(app, HOSTS), headers=[("host", host) for host in hosts], **named)
    assert bool(app.scopes) == (answer.status == 200)
    return answer


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
def test_the_loopback_names_are_answered(host):
    assert asked(host).status == 200


@pytest.mark.parametrize(
    ("scheme", "host", "status"),
    [
        ("https", "study.example.org", 200),
        ("https", "study.example.org:443", 200),
        ("https", "Study.Example.ORG", 200),
        ("http", "study.example.org:80", 200),
        ("http", "study.example.org", 200),
        ("http", "study.example.org:443", 421),
        ("https", "study.example.org:80", 421),
        ("https", "study.example.org:8443", 421),
    ],
)
def test_the_usual_port_may_be_left_out(scheme, host, status):
    assert asked(host, scheme=scheme).status == status


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:08765",
        "127.0.0.1:8765:8765",
        "127.0.0.1:8765@evil.example",
        "evil.example@127.0.0.1:8765",
        "evil.example#127.0.0.1:8765",
        "127.0.0.1:8765/",
        "127.0.0.1:8765.evil.example",
        "127.0.0.1:8765, evil.example",
        " 127.0.0.1:8765",
        "127.0.0.1:8765\n",
        "127.0.0.1:٨٧٦٥".encode().decode("latin-1"),
        "localhost.:8765",
        "localhost:",
        "0.0.0.0:8765",
        "127.1:8765",
        "2130706433:8765",
        "[::1]:8765]",
        "::1:8765",
        "[0:0:0:0:0:0:0:1]:8765",
        "study.example.org.evil.example",
        "evil.study.example.org",
        "",
    ],
)
def test_other_names_are_refused_and_not_repeated(host):
    answer = asked(host)
    assert answer.status == 421
    assert b"evil" not in answer.body


def test_a_request_without_a_host_is_refused():
    assert asked().status == 421


def test_two_host_headers_are_refused_even_if_both_are_right():
    assert asked("127.0.0.1:8765", "127.0.0.1:8765").status == 421
    assert asked("127.0.0.1:8765", "evil.example").status == 421


@pytest.mark.parametrize("path", ["http://evil.example/", "*", "@evil.example/", "", "evil.example:443"])
def test_a_path_that_names_a_host_is_refused(path):
    assert asked("127.0.0.1:8765", path=path).status == 421


def test_a_scheme_that_is_not_http_is_refused():
    assert asked("study.example.org", scheme="gopher").status == 421


@given(st.text(st.characters(max_codepoint=255), max_size=40))
def test_no_made_up_host_is_answered(host):
    allowed = {name for name in HOSTS if ":" in name} | {"study.example.org", "study.example.org:80"}
    assert (asked(host).status == 200) == (host.lower() in allowed)


def test_a_page_on_the_loopback_has_the_loopback_names():
    expected = {"127.0.0.1:8765", "localhost:8765", "[::1]:8765"}
    assert hosts_for("127.0.0.1", 8765, None) == expected
    assert hosts_for("localhost", 8765, None) == expected
    assert hosts_for("::1", 8765, None) == expected
    assert hosts_for("127.0.0.2", 8765, None) == expected | {"127.0.0.2:8765"}


def test_a_page_on_another_address_has_that_one():
    assert hosts_for("192.0.2.7", 80, None) == {"192.0.2.7:80"}
    assert hosts_for("2001:DB8:0::7", 80, None) == {"[2001:db8::7]:80"}
    assert hosts_for("fe80::1%eth0", 80, None) == {"[fe80::1]:80"}
    assert hosts_for("Desk.local", 80, None) == {"desk.local:80"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_every_address_needs_a_public_one(host):
    with pytest.raises(InvalidParameter, match="name the public address with url="):
        hosts_for(host, 8765, None)
    assert "study.example.org" in hosts_for(host, 8765, "https://study.example.org")
    assert "0.0.0.0:8765" not in hosts_for(host, 8765, "https://study.example.org")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Study.Example.org/", "study.example.org"),
        ("https://study.example.org:443", "study.example.org"),
        ("http://study.example.org:80", "study.example.org"),
        ("http://study.example.org:443", "study.example.org:443"),
        ("https://[2001:DB8::7]:8443", "[2001:db8::7]:8443"),
    ],
)
def test_the_public_address_is_written_as_browsers_send_it(url, host):
    assert hosts_for("127.0.0.1", 8765, url) - hosts_for("127.0.0.1", 8765, None) == {host}


@pytest.mark.parametrize(
    "url",
    [
        "study.example.org",
        "ftp://study.example.org",
        "https://",
        "https://user@study.example.org",
        "https://study.example.org/study",
        "https://study.example.org/?a=b",
        "https://study.example.org/#a",
        "https://study.example.org:port",
        "https://study.example.org:99999",
        "https://two words",
        "https://[::1",
        "https://münchen.example",
        "",
    ],
)
def test_a_public_address_that_is_none_is_refused(url):
    with pytest.raises(InvalidParameter, match="the URL must be like https://study.example.org"):
        hosts_for("127.0.0.1", 8765, url)


@pytest.mark.parametrize(("host", "port"), [("two words", 8765), ("a:b", 8765), ("127.0.0.1", 0), ("127.0.0.1", 65536)])
def test_an_address_that_cannot_be_listened_on_is_refused(host, port):
    with pytest.raises(InvalidParameter):
        hosts_for(host, port, None)
