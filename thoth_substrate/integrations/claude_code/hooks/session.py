"""A session's beginning and end: posts the payload to the server, prints its answer, and is silent else.

Claude Code runs the beginning of a session as a command only; and of an end that failed over HTTP it would tell the user. Needs
nothing but Python itself: it runs where Thoth need not be installed. The address is the first argument, else THOTH_URL, else this
machine's; THOTH_TOKEN is presented when it is set. Ends within its time whatever happens.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import urllib.request

HERE = "http://127.0.0.1:8484"
WITHIN_S = 1.5  # all in all; the hook's own limit is two seconds


def main() -> None:
    """Print one JSON object, or nothing."""
    payload = sys.stdin.buffer.read()
    address = next((word for word in (*sys.argv[1:2], os.environ.get("THOTH_URL")) if word), HERE)
    answers: list[bytes] = []
    asking = threading.Thread(target=_ask, args=(address, payload, answers), daemon=True)
    asking.start()
    asking.join(WITHIN_S)
    if answers:
        sys.stdout.buffer.write(answers[0])
        sys.stdout.flush()
    os._exit(0)  # a request that hangs is not waited for


def _ask(address: str, payload: bytes, answers: list[bytes]) -> None:
    headers = {"Content-Type": "application/json", "X-Thoth-Agent": "claude-code"}
    token = os.environ.get("THOTH_TOKEN")
    if token:
        headers["X-Thoth-Token"] = token
    try:
        where = f"{address.rstrip('/')}/hooks/claude-code"
        request = urllib.request.Request(where, payload, headers)  # noqa: S310 - the user's own setting
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=WITHIN_S) as response:
            answer = json.loads(response.read())
    except (OSError, ValueError):
        return
    if isinstance(answer, dict) and answer:
        answers.append(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
