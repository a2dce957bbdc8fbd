"""Free text of requests: words without control characters."""

import re

from pydantic import AfterValidator, Field

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""C0, DEL and C1, except tab and line breaks, which separate words."""
PATTERN = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$"
"""The same rule as published schemas state it."""


def refuse_control_characters(text: str) -> str:
    """Return the text. Raises ``ValueError`` where it holds a control character."""
    match = _CONTROL.search(text)
    if match:
        raise ValueError(f"holds the control character U+{ord(match[0]):04X}")
    return text


WITHOUT_CONTROL = AfterValidator(refuse_control_characters)
WITH_PATTERN = Field(json_schema_extra={"pattern": PATTERN})
