"""Payments in this process have time: a busy machine is no reason to answer that they take too long."""

import pytest

from citepress_payments import service
from support.waiting import PATIENCE_S


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOK_SECONDS", "PREPARE_SECONDS", "OFFER_SECONDS"):
        monkeypatch.setattr(service, name, PATIENCE_S)
