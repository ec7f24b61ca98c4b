"""Nobody keeps the others waiting by asking too often."""

from commensurate.web.guards.rate import Allowance, RateLimit, Rates, address_of, session_of
from worlds.asgi_calls import Counted, call


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def cookie(value, name="commensurate-0123456789ab"):
    return [("cookie", f"{name}={value}")]


def statuses(app, times, **named):
    return [call(app, **named).status for _ in range(times)]


def test_a_session_has_a_burst_and_then_its_rate():
    clock = Clock()
    app = RateLimit(Counted(), clock=clock)
    assert statuses(app, 121, headers=cookie("ana")) == [200] * 120 + [429]
    clock.now += 1
    assert statuses(app, 31, headers=cookie("ana")) == [200] * 30 + [429]


def test_one_session_does_not_slow_another():
    app = RateLimit(Counted(), clock=Clock())
    statuses(app, 121, headers=cookie("ana"))
    assert call(app, headers=cookie("ben")).status == 200


def test_a_refusal_says_when_to_come_back():
    app = RateLimit(Counted(), clock=Clock(), rates=Rates(session=Allowance(per_second=0.1, burst=1)))
    call(app)
    answer = call(app)
    assert answer.status == 429
    assert answer.header("retry-after") == "10"


def test_made_up_cookies_do_not_outrun_the_limit_of_their_address():
    app = RateLimit(Counted(), clock=Clock())
    answers = [call(app, headers=cookie(f"made-up-{i}")).status for i in range(2001)]
    assert answers == [200] * 2000 + [429]
    assert call(app, headers=cookie("ana"), client=("192.0.2.2", 1)).status == 200


def test_made_up_cookies_do_not_fill_the_memory():
    app = RateLimit(Counted(), clock=Clock(), most=5)
    for i in range(50):
        call(app, headers=cookie(f"made-up-{i}"))
    assert len(app._sessions) == 5


def test_links_that_do_not_work_are_counted_for_the_address_whatever_the_cookie():
    clock = Clock()
    app = RateLimit(Counted(404), clock=clock)
    answers = [call(app, path=f"/enter/{i}", headers=cookie(f"made-up-{i}")).status for i in range(21)]
    assert answers == [404] * 20 + [429]
    assert call(app, path="/question", headers=cookie("ana")).status == 404
    clock.now += 1
    assert statuses(app, 2, path="/enter/x") == [404, 429]


def test_a_room_full_of_experts_can_open_their_links_at_once():
    app = RateLimit(Counted(303), clock=Clock())
    assert statuses(app, 100, path="/enter/right") == [303] * 100


def test_static_files_count():
    app = RateLimit(Counted(), clock=Clock(), rates=Rates(session=Allowance(1, 1)))
    assert statuses(app, 2, path="/static/page.css") == [200, 429]


def test_a_refused_request_does_not_reach_the_page():
    page = Counted()
    app = RateLimit(page, clock=Clock(), rates=Rates(session=Allowance(1, 1)))
    statuses(app, 5)
    assert len(page.scopes) == 1


def test_a_session_is_known_by_a_digest_of_our_cookies_only():
    def of(text):
        return session_of({"headers": [(b"cookie", text.encode("latin-1"))], "client": ("192.0.2.1", 1)})

    assert of("commensurate-1=secret; theme=dark") == of("theme=light;commensurate-1=secret")
    assert of("commensurate-1=secret") != of("commensurate-1=other")
    assert "secret" not in of("commensurate-1=secret")
    assert of("theme=dark") == "192.0.2.1"
    assert of("\xff; =;; commensurate-\xff=\xff") != "192.0.2.1"


def test_who_can_be_decided_by_the_caller():
    app = RateLimit(Counted(), lambda scope: "everybody", clock=Clock(), rates=Rates(session=Allowance(1, 1)))
    assert [call(app, client=(f"192.0.2.{i}", 1)).status for i in range(2)] == [200, 429]


def test_addresses_of_one_network_are_one():
    def of(text):
        return address_of({"client": (text, 1)})

    assert of("2001:db8::1") == of("2001:db8::ffff:1") != of("2001:db8:0:1::1")
    assert of("::ffff:192.0.2.1") == of("192.0.2.1") != of("192.0.2.2")
    assert of("fe80::1%eth0") == of("fe80::2")
    assert of("testclient") == "testclient"
    assert address_of({"client": None}) == address_of({}) == ""
