"""Verdicts on User-Agents that others collected: lists as JSON on standard input, what was missed as JSON.

A User-Agent is *seen as automation* when the verdict is not ``(browser-like)``; *named* when it is none in brackets.
"""

import json
import sys
from typing import Any

from citepress_telemetry.identify.user_agents.table import BROWSER, UNLISTED_CLIENT
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier


def main() -> int:
    """Judge the lists."""
    lists: dict[str, Any] = json.load(sys.stdin)
    judge = UserAgentClassifier()
    verified = [bot["agent"] for bot in lists["verified"]]
    ai = [bot["agent"] for bot in lists["verified"] if bot["ai"]]
    summaries = {
        name: _summary(judge, agents)
        for name, agents in (
            ("verified", verified),
            ("ai", ai),
            ("fixtures", lists["fixtures"]),
            ("isbot", lists["isbot"]),
        )
    }
    taken = [agent for agent in lists["browsers"] if judge.family(agent) is not BROWSER]
    print(
        json.dumps(
            summaries | {"browsers": {"agents": len(lists["browsers"]), "taken": taken}, "version": judge.version}
        )
    )
    return 0


def _summary(judge: UserAgentClassifier, agents: list[str]) -> dict[str, Any]:
    pairs = [(agent, judge.family(agent)) for agent in agents]
    return {
        "agents": len(agents),
        "missed": [agent for agent, family in pairs if family is BROWSER],
        "unsure": sum(family is UNLISTED_CLIENT for _, family in pairs),
        "named": sum(family.named for _, family in pairs),
    }


if __name__ == "__main__":
    sys.exit(main())
