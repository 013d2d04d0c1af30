"""What goes to a chat-completions endpoint for a repair, and the text in its answer. Pure.

Whatever comes back is checked like any answer, so nothing is asked of its form but that it is whole text.
"""

from __future__ import annotations

import json


def repair_request(model: str, prompt: str) -> bytes:
    """The body of the request: the prompt as it stands, at temperature 0."""
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
        "stream": False,
    }
    return json.dumps(body, ensure_ascii=False).encode("utf-8")


def text_of(answer: bytes) -> str | None:
    """The text of the one choice; None where there is none, or it was cut short."""
    try:
        document = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    choices = document.get("choices") if isinstance(document, dict) else None
    choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    message = choice.get("message") if isinstance(choice, dict) and choice.get("finish_reason") != "length" else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) and content.strip() else None
