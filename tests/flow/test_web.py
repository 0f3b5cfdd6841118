"""The web chat in a real browser, against the real server: coming in, talking, undoing, and who gets in nowhere."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.web_server import Server

pytestmark = pytest.mark.requirement("web")

NASTY = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


@pytest.fixture(scope="module")
def chromium() -> str:
    path = os.environ.get("MUNIMENT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "the browser tests need Chromium; ./install.sh test installs Debian's"
    return path


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def page(server: Server, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Paris")
    made = context.new_page()
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    made.on("console", lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None)
    made.goto(server.link)
    made.get_by_role("button", name="Let this browser in").click()
    expect(made.locator("#say[data-ready]")).to_be_visible()
    yield made
    context.close()
    assert faults == []


def say(page: Page, text: str, expected: str) -> None:
    page.get_by_label("Message").fill(text)
    page.get_by_label("Message").press("Enter")
    expect(page.locator(".turn").last).to_contain_text(expected)
    expect(page.locator(".draft")).to_have_count(0)


@pytest.mark.requirement("approval", "settle")
def test_what_waits_has_its_buttons_and_the_erased_is_blank(page: Page) -> None:
    say(page, "I live in Leeds.", "You live in Leeds")
    say(page, "Forget that I live in Leeds.", "Look at what I would do below")
    form = page.locator("form.waiting")
    expect(form).to_contain_text("erase: You live in Leeds")
    form.get_by_role("button", name="Approve").click()
    expect(page.locator("main")).to_contain_text("Erased: 1 statement")
    page.get_by_role("link", name="Back to the chat").click()
    expect(page.locator("#say[data-ready]")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("Leeds")
    expect(page.locator(".reply").first).to_contain_text("Noted.")
    expect(page.locator("form.waiting")).to_have_count(0)
    say(page, "I live in Leeds.", "it was erased on")
    page.locator("form.waiting").get_by_role("button", name="Believe it").click()
    expect(page.locator("main")).to_contain_text("Believed")
    page.get_by_role("link", name="Back to the chat").click()
    say(page, "Where do I live?", "You live in Leeds")


@pytest.mark.requirement("entry", "undo")
def test_a_newcomer_talks_sees_what_is_stored_and_undoes_it(page: Page) -> None:
    expect(page.locator("#empty")).to_be_visible()
    say(page, "I live in Leeds and I work at Siemens.", "You work at Siemens")
    fact = page.locator(".fact", has_text="You live in Leeds")
    fact.get_by_role("button", name="Why").click()
    expect(fact.locator(".lines")).to_contain_text('"I live in Leeds"')
    say(page, "Where do I live?", "You live in Leeds")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".undone")).to_be_visible()
    say(page, "Where do I live?", "I do not know that")
    page.reload()
    expect(page.locator(".undone")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(3)


@pytest.mark.requirement("asking")
def test_what_is_asked_back_has_its_buttons(page: Page) -> None:
    say(page, "i live in oslo", "Shall I remember that you live in oslo?")
    page.get_by_role("button", name="Yes").click()
    expect(page.locator(".fact")).to_contain_text("You live in oslo")


@pytest.mark.requirement("H34")
def test_what_people_write_is_shown_as_text(page: Page) -> None:
    say(page, f"I like {NASTY}", "I like <img")
    page.reload()
    expect(page.locator(".said").first).to_have_text(f"I like {NASTY}")
    expect(page).to_have_title("Muniment")


@pytest.mark.requirement("turn")
def test_a_message_written_while_the_server_is_down_is_sent_when_it_is_back(page: Page, server: Server) -> None:
    say(page, "I live in Leeds.", "You live in Leeds")
    server.stop(signal.SIGKILL)
    expect(page.locator("#state")).to_contain_text("Not connected")
    page.get_by_label("Message").fill("I speak French.")
    page.get_by_label("Message").press("Enter")
    server.again()
    expect(page.locator(".turn").last).to_contain_text("You speak French", timeout=30_000)
    say(page, "Where do I live?", "You live in Leeds")


def test_it_fits_a_phone_and_a_keyboard(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    say(page, "I live in Leeds and " + "really " * 40 + "like it.", "really")
    for part in (".said", ".reply", "#say", "header"):
        box = page.locator(part).last.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360, part
    page.get_by_label("Message").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Send")).to_be_focused()


@pytest.mark.requirement("entry", "I2")
def test_a_member_is_let_in_by_a_link_of_their_own(server: Server, browser: Browser) -> None:
    command = [sys.executable, "-m", "bootstrap.cli", "chat", "--as", "Bob", "--data", str(server.data)]
    subprocess.run(command, input="I live in Rome.\n", text=True, check=True, capture_output=True, timeout=60)
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.pair("--as", "Bob"))
    page.get_by_role("button", name="Let this browser in").click()
    expect(page.locator("#say[data-ready]")).to_be_visible()
    say(page, "Where do I live?", "You live in Rome")
    context.close()
