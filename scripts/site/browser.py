"""Chromium without a window, on a page of ours over loopback, which sends back what it found."""

import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading


class NoAnswer(Exception):
    """The browser is missing or did not answer."""


def ask(site, script, patience=110):
    """What a script finds among the pages of a folder.

    The script is the body of an asynchronous function; what it returns must be JSON.
    """
    names = ["chromium", "chromium-browser", "google-chrome"]
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        raise NoAnswer(
            "Chromium is not installed; please run: apt-get install chromium fonts-liberation")
    harness = (
        "<!DOCTYPE html><html><body style=\"margin:0\"><script>(async () => {" + script
        + "})().catch((error) => ({ error: String(error) })).then((answer) =>"
        " fetch(\"/answer\", { method: \"POST\", body: JSON.stringify(answer) }));"
        "</script></body></html>")
    arrived, answers = threading.Event(), []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=site)

        def do_GET(self):
            if self.path != "/harness":
                return super().do_GET()
            body = harness.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            answers.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            arrived.set()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = tempfile.mkdtemp()
    browser = subprocess.Popen(
        [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         f"--user-data-dir={profile}", "--window-size=1600,1000", "--remote-debugging-port=0",
         f"http://127.0.0.1:{server.server_address[1]}/harness"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not arrived.wait(patience):
            raise NoAnswer(f"Chromium did not answer within {patience} s")
    finally:
        browser.terminate()
        browser.wait()
        server.shutdown()
        shutil.rmtree(profile, ignore_errors=True)
    if isinstance(answers[0], dict) and "error" in answers[0]:
        raise NoAnswer(f"Chromium could not do it: {answers[0]['error']}")
    return answers[0]


def lanes():
    """How many pages are looked at at once."""
    return 2 * (os.cpu_count() or 2)
