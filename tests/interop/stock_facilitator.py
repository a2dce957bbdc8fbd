"""The SDK's own facilitator, untouched, behind HTTP: ``python stock_facilitator.py <chain> <key>``.

It prints its address.
"""

import json
import sys
import time
from typing import Any

from x402 import x402FacilitatorSync
from x402.mechanisms.evm import FacilitatorWeb3Signer
from x402.mechanisms.evm.exact import ExactEvmFacilitatorScheme
from x402.schemas import PaymentPayload, PaymentRequirements

from support.fake_http_server import Answer, answering, jsonly

NETWORK = "eip155:84532"


def main() -> None:
    """Serve until terminated."""
    facilitator = x402FacilitatorSync()
    facilitator.register([NETWORK], ExactEvmFacilitatorScheme(FacilitatorWeb3Signer(sys.argv[2], sys.argv[1])))

    def answer(path: str, body: bytes) -> Answer:
        if path == "/supported":
            return jsonly(_plain(facilitator.get_supported()))
        request = json.loads(body)
        payload = PaymentPayload.model_validate(request["paymentPayload"])
        requirements = PaymentRequirements.model_validate(request["paymentRequirements"])
        return jsonly(_plain((facilitator.verify if path == "/verify" else facilitator.settle)(payload, requirements)))

    with answering(answer) as url:
        print(url, flush=True)
        while True:
            time.sleep(60)


def _plain(value: Any) -> Any:
    return value.model_dump(by_alias=True, exclude_none=True, mode="json")


main()
