// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

interface Erc20 { function transferFrom(address from, address to, uint256 value) external returns (bool); }

struct TokenPermissions { address token; uint256 amount; }
struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }
struct Details { address to; uint256 requestedAmount; }
struct Witness { address to; uint256 validAfter; }

/// Our own small contract with the interface of Permit2 that exact payments use; the real one is another's.
contract Permit2 {
    mapping(address => mapping(uint256 => uint256)) public nonceBitmap;

    bytes32 constant DOMAIN = keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    bytes32 constant PERMISSIONS = keccak256("TokenPermissions(address token,uint256 amount)");
    string constant STUB =
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,";

    function permitWitnessTransferFrom(PermitTransferFrom calldata permit, Details calldata details, address owner,
                                       bytes32 witness, string calldata witnessType, bytes calldata signature) external {
        require(block.timestamp <= permit.deadline, "SignatureExpired");
        require(details.requestedAmount <= permit.permitted.amount, "InvalidAmount");
        uint256 bit = 1 << uint8(permit.nonce);
        uint256 map = nonceBitmap[owner][permit.nonce >> 8];
        require(map & bit == 0, "InvalidNonce");
        nonceBitmap[owner][permit.nonce >> 8] = map | bit;
        bytes32 told = keccak256(abi.encode(keccak256(abi.encodePacked(STUB, witnessType)),
            keccak256(abi.encode(PERMISSIONS, permit.permitted.token, permit.permitted.amount)),
            msg.sender, permit.nonce, permit.deadline, witness));
        bytes32 separator = keccak256(abi.encode(DOMAIN, keccak256("Permit2"), block.chainid, address(this)));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", separator, told));
        require(signature.length == 65, "InvalidSignatureLength");
        address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        require(signer != address(0) && signer == owner, "InvalidSigner");
        require(Erc20(permit.permitted.token).transferFrom(owner, details.to, details.requestedAmount), "TRANSFER_FROM_FAILED");
    }

    function invalidateUnorderedNonces(uint256 place, uint256 mask) external { nonceBitmap[msg.sender][place] |= mask; }
}

/// Our own small contract with the interface of x402's proxy: it pays nobody but the witness.
contract Proxy {
    bytes32 constant WITNESS = keccak256("Witness(address to,uint256 validAfter)");
    string constant TYPE =
        "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,uint256 validAfter)";

    function settle(PermitTransferFrom calldata permit, address owner, Witness calldata witness, bytes calldata signature) external {
        require(block.timestamp >= witness.validAfter, "PaymentTooEarly");
        Permit2(0x000000000022D473030F116dDEE9F6B43aC78BA3).permitWitnessTransferFrom(permit,
            Details(witness.to, permit.permitted.amount), owner,
            keccak256(abi.encode(WITNESS, witness.to, witness.validAfter)), TYPE, signature);
    }
}
