"""The theme's own templates as Python code without what only foreign templates need.

Jinja looks each attribute up in two ways, asks of each call whether it wants a context, and marks each escaped text as
such before it is joined to the others. The theme's templates name members of typed values alone, call what takes no
context, and are covered by tests, so their code reads attributes and calls directly. An archive with overrides keeps
Jinja's own code, in its sandbox.
"""

from collections.abc import Callable
from typing import TypeVar

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Context
from markupsafe import Markup, escape

T = TypeVar("T")


def escaped(value: object) -> str:
    """A value as HTML writes it, to be joined to what stands around it: most texts hold nothing to escape."""
    if type(value) is Markup:
        return value
    if type(value) is str and not ("&" in value or "<" in value or ">" in value or '"' in value or "'" in value):
        return value
    return escape(value)


class _ThemeCode(CodeGenerator):
    """Writes attributes as attributes, and what is output through ``escaped``."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802  (named by Jinja)
        self.writeline(f"from {__name__} import {escaped.__name__}")
        super().visit_Template(node, frame)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802  (named by Jinja)
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write(f"{escaped.__name__}(")


class _ThemeContext(Context):
    """Calls what templates call as it is."""

    def call(
        self,
        called: Callable[..., T],
        /,
        *args: object,
        _block_vars: object = None,
        _loop_vars: object = None,
        **named: object,
    ) -> T:
        """What it returns; the variables of blocks and loops are for what takes a context."""
        return called(*args, **named)


class ThemeEnvironment(Environment):
    """The environment of an archive without templates of its own."""

    code_generator_class = _ThemeCode
    context_class = _ThemeContext
