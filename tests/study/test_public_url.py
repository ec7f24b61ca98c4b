"""The address under which experts reach the page."""

import pytest

from commensurate.errors import InvalidParameter
from commensurate.study.invitations import DEFAULT_URL, checked_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (DEFAULT_URL, "http://127.0.0.1:8765"),
        ("https://study.example.org/", "https://study.example.org"),
        ("HTTPS://Study.Example.ORG:8443", "https://study.example.org:8443"),
        ("http://[::1]:8765/", "http://[::1]:8765"),
        ("http://localhost", "http://localhost"),
        ("https://xn--mnchen-3ya.example", "https://xn--mnchen-3ya.example"),
    ],
)
def test_the_address_of_a_server_is_taken_without_the_slash_at_its_end(text, url):
    assert checked_url(text) == url
    assert checked_url(url) == url


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "does not start with http"),
        ("study.example.org", "does not start with http"),
        ("127.0.0.1:8765", "does not start with http"),
        ("ftp://example.org", "does not start with http"),
        ("javascript:alert(1)", "does not start with http"),
        ("http:example.org", "does not start with http"),
        ("https://", "host or port"),
        ("http://:8765", "host or port"),
        ("http://example.org:", "host or port"),
        ("http://example.org:port", "host or port"),
        ("http://example.org:99999", "host or port"),
        ("http://example.org:0", "host or port"),
        ("http://[::1", "host or port"),
        ("http://-example.org", "host or port"),
        ("http://a,b", "host or port"),
        ("https://ana:s3cret@example.org", "user or password"),
        ("https://ana@example.org", "user or password"),
        ("https://example.org/study", "with a path"),
        ("https://example.org//", "with a path"),
        ("https://example.org?", "with a ? or #"),
        ("https://example.org/?a=1", "with a ? or #"),
        ("https://example.org/#top", "with a ? or #"),
        ("https://exam ple.org", "blanks"),
        ("https://example.org\n", "blanks"),
        ("https://exam\tple.org", "blanks"),
        ("https:\\\\example.org", "blanks"),
        ("https://münchen.example", "xn--"),
    ],
)
def test_what_is_no_address_of_a_server_is_told_so_and_not_repeated(text, fault):
    with pytest.raises(InvalidParameter) as caught:
        checked_url(text)
    assert fault in str(caught.value)
    assert "s3cret" not in str(caught.value)
