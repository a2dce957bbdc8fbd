"""What this package adds to citepress."""

from citepress.extension import Command, Extension

EXAMPLES = {"deploy-config": ("deploy-config nginx archive", "Prints a server block for nginx.")}
EXTENSION = Extension(
    name="deploy",
    needed_to_serve=False,
    commands=(
        Command(
            "deploy-config",
            "citepress_deploy.command:print_config",
            "Print the configuration of a proxy, a cache, a service manager or containers for this archive.",
            EXAMPLES,
            group="Run",
        ),
    ),
)
