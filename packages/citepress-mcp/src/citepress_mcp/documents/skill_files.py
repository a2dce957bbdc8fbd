"""The skills as files for agents to keep, and the index by which they are found (agentskills.io discovery 0.2.0)."""

import json
from collections.abc import Iterable
from functools import partial
from typing import Any

from citepress.base.canonical import digest, json_bytes
from citepress.base.media import JSON, MARKDOWN
from citepress.contract.document import Document, Hosting, Output, Parameter, Section
from citepress.edition.edition import Edition
from citepress.edition.render_context import RenderContext
from citepress_mcp.offer import offer_of
from citepress_mcp.paths import ENDPOINT
from citepress_mcp.prompt import Skill

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
FOLDER = "/.well-known/agent-skills"
SKILL_PARAMETER = Parameter("name", "A skill of the index.", example="verify-a-claim")


def skill_file(skill: Skill, context: RenderContext) -> bytes:
    """SKILL.md: name and description as front matter, and the steps."""
    text = skill.text.replace("{title}", context.site.title).replace("{endpoint}", context.url(ENDPOINT))
    front = f"---\nname: {skill.name}\ndescription: {json.dumps(skill.description, ensure_ascii=False)}\n---\n\n"
    return (front + text).encode()


def entries(skills: tuple[Skill, ...], edition: Edition) -> list[dict[str, Any]]:
    """An entry for each skill that the edition holds (extension io.modelcontextprotocol/skills)."""
    return [
        _entry(skill, bytes(served.leaf.body)) for skill in skills if (served := edition.find(skill.path)) is not None
    ]


def _entry(skill: Skill, body: bytes) -> dict[str, Any]:
    return {
        "uri": skill.uri,
        "frontmatter": {"name": skill.name, "description": skill.description},
        "resources": [{"uri": skill.uri, "digest": f"sha256:{digest(body)}", "size": len(body)}],
    }


def _files(context: RenderContext) -> Iterable[Output]:
    return [Output(skill_file(skill, context), {"name": skill.name}) for skill in offer_of(context).skills]


def _index(context: RenderContext) -> Iterable[Output]:
    entries = [
        {
            "name": skill.name,
            "type": "skill-md",
            "description": skill.description,
            "url": context.url(skill.path),
            "digest": f"sha256:{digest(skill_file(skill, context))}",
        }
        for skill in offer_of(context).skills
    ]
    return [Output(json_bytes({"$schema": SCHEMA, "skills": entries}))]


_document = partial(Document[RenderContext], section=Section.EXTRAS, promised=False, only=Hosting.SERVICE)
ALL = (
    _document("agent_skills", f"{FOLDER}/index.json", JSON, summary="Skills for agents that work here.", make=_index),
    _document(
        "agent_skill",
        f"{FOLDER}/{{name}}/SKILL.md",
        MARKDOWN,
        summary="A skill for agents that work here.",
        make=_files,
        parameters=(SKILL_PARAMETER,),
    ),
)
