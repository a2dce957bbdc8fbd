{
  description = "citepress publishes an archive that people and AI agents can read, cite and correct.";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.11";

  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      # nix run . -- serve my-archive
      # Several of the libraries are not in nixpkgs, so uv installs the pinned ones on the first run and keeps them.
      apps = each (pkgs: {
        default = {
          type = "app";
          program = toString (
            pkgs.writeShellScript "citepress" ''
              exec ${pkgs.uv}/bin/uv tool run --python ${pkgs.python313}/bin/python3 \
                --constraints ${self}/requirements/run.txt \
                ${
                  nixpkgs.lib.concatMapStringsSep " " (name: "--with ${self}/packages/${name}") (
                    builtins.filter (name: name != "README.md") (builtins.attrNames (builtins.readDir ./packages))
                  )
                } --from ${self}/packages/citepress citepress "$@"
            ''
          );
        };
      });

      # nix develop, then make demo
      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = [ pkgs.python313 pkgs.gnumake pkgs.git pkgs.nodejs_22 pkgs.uv ];
        };
      });
    };
}
