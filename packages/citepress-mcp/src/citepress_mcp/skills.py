"""Skills as the endpoint lists them: an entry with digest and size of the very file that the web serves."""

import hashlib
from typing import Any

from citepress.edition.edition import Edition
from citepress_mcp.prompt import Skill


def entries(skills: tuple[Skill, ...], edition: Edition) -> list[dict[str, Any]]:
    """An entry for each skill that the edition holds (extension io.modelcontextprotocol/skills)."""
    return [
        _entry(skill, bytes(served.leaf.body)) for skill in skills if (served := edition.find(skill.path)) is not None
    ]


def _entry(skill: Skill, body: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(body).hexdigest()
    return {
        "uri": skill.uri,
        "frontmatter": {"name": skill.name, "description": skill.description},
        "resources": [{"uri": skill.uri, "digest": f"sha256:{digest}", "size": len(body)}],
    }
