// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A token of the tests with EIP-3009: it is put at the address of a real one, so what it needs is set after that.
contract Token {
    string public name;
    string public constant version = "2";
    uint8 public decimals;
    /// 0: as it should be; 1: it says yes and moves nothing; 2: it always reverts.
    uint8 public mood;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    bytes32 constant TYPE = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)");
    bytes32 constant DOMAIN = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    function setUp(string calldata name_, uint8 decimals_, uint8 mood_) external { (name, decimals, mood) = (name_, decimals_, mood_); }
    function mint(address to, uint256 value) external { balanceOf[to] += value; }
    function approve(address who, uint256 value) external returns (bool) { allowance[msg.sender][who] = value; return true; }
    function transfer(address to, uint256 value) external returns (bool) { move(msg.sender, to, value); return true; }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(allowance[from][msg.sender] >= value, "ERC20: transfer amount exceeds allowance");
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN, keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this)));
    }

    function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore,
                                       bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        require(!authorizationState[from][nonce], "FiatTokenV2: authorization is used or canceled");
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(),
            keccak256(abi.encode(TYPE, from, to, value, validAfter, validBefore, nonce))));
        require(from != address(0) && ecrecover(digest, v, r, s) == from, "FiatTokenV2: invalid signature");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    /// Without a signature: whoever the tests let call it.
    function cancel(bytes32 nonce) external {
        authorizationState[msg.sender][nonce] = true;
        emit AuthorizationCanceled(msg.sender, nonce);
    }

    function move(address from, address to, uint256 value) internal {
        require(mood != 2, "out of order");
        if (mood == 1) return;
        require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
