"""The theme's own templates as Python code without what only foreign templates need.

Jinja looks each attribute up in two ways, asks of each call whether it wants a context, sorts the arguments of each
macro, and marks each escaped text as such before it is joined to the others. The theme's templates name members of
typed values alone, call what takes no context, and are covered by tests, so their code reads attributes and calls
directly. An archive with overrides keeps Jinja's own code, in its sandbox.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.environment import TemplateModule
from jinja2.utils import missing
from markupsafe import Markup, escape

from citepress.edition.prose import html_parts

PARAMETERS = "parameters"
"""Attribute of the function of a macro that holds the names of its parameters."""


def escaped(value: object) -> str:
    """A value as HTML writes it, to be joined to what stands around it: most texts hold nothing to escape."""
    if type(value) is Markup:
        return value
    if type(value) is str and not ("&" in value or "<" in value or ">" in value or '"' in value or "'" in value):
        return value
    return escape(value)


def direct_macro(written: Callable[..., Markup], names: tuple[str, ...]) -> Callable[..., Markup]:
    """A macro as the function that writes it, which takes ``missing`` for parameters that are left out."""
    written.__defaults__ = (missing,) * len(names)
    setattr(written, PARAMETERS, names)
    return written


def by_name(called: Callable[..., Any], *given: object, **named: object) -> Any:  # noqa: ANN401  (what it returns)
    """Call with parameters by their names, those of a macro too, whose function has other names for them."""
    names = getattr(called, PARAMETERS, None)
    if names is None:
        return called(*given, **named)
    given = (*given, *[named.pop(name, missing) for name in names[len(given) :]])
    if named:
        raise TypeError(f"no parameter of the macro is called {', '.join(named)}")
    return called(*given)


class _ThemeCode(CodeGenerator):
    """Writes attributes, items, calls and macros as those of Python, and what is output through ``escaped``."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802  (named by Jinja)
        helpers = (by_name, direct_macro, escaped)
        self.writeline(f"from {__name__} import {', '.join(helper.__name__ for helper in helpers)}")
        self.writeline(f"from {html_parts.__name__} import as_markup")
        super().visit_Template(node, frame)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802  (named by Jinja)
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802  (named by Jinja)
        if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, int):
            self.visit(node.node, frame)
            self.write(f"[{node.arg.value}]")
        else:
            super().visit_Getitem(node, frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802  (as in Jinja)
        if forward_caller or node.dyn_args or node.dyn_kwargs:
            super().visit_Call(node, frame, forward_caller)
            return
        if node.kwargs:
            self.write(f"{by_name.__name__}(")
        self.visit(node.node, frame)
        self.write(", " if node.kwargs else "(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """A macro as a function, unless it takes what is passed on to another."""
        passed_on = macro_ref.accesses_caller or macro_ref.accesses_kwargs or macro_ref.accesses_varargs
        if passed_on or not self._escapes(frame):
            super().macro_def(macro_ref, frame)
        else:
            names = tuple(argument.name for argument in macro_ref.node.args)
            self.write(f"{direct_macro.__name__}(macro, {names!r})")

    def enter_frame(self, frame: Frame) -> None:
        """Gather what a template or a block writes: a generator is resumed for each piece, in every block around it."""
        super().enter_frame(frame)
        if frame.buffer is None and self._gathers(frame):
            self.buffer(frame)

    def leave_frame(self, frame: Frame, with_python_scope: bool = False) -> None:
        if self._gathers(frame):
            self.writeline(f"yield concat({frame.buffer})")
        super().leave_frame(frame, with_python_scope)

    def _gathers(self, frame: Frame) -> bool:
        return frame.block_frame or (frame.toplevel and frame.rootlevel)

    def writeline(self, x: str, node: nodes.Node | None = None, extra: int = 0) -> None:
        """Write a line; pieces are added to a list as a tuple, which takes no call."""
        for call in (".append(", ".extend(("):
            if x.endswith(call):
                x = f"{x.removesuffix(call)} += ("
        super().writeline(")" if x == "))" else x, node, extra)

    def visit_Block(self, node: nodes.Block, frame: Frame) -> None:  # noqa: N802  (named by Jinja)
        if not (frame.toplevel and self.has_known_extends):
            context = self.derive_context(frame) if node.scoped else self.get_context_ref()
            self.writeline(f"{frame.buffer}.extend(context.blocks[{node.name!r}][0]({context}))", node)

    def return_buffer_contents(self, frame: Frame, force_unescaped: bool = False) -> None:
        """What a macro or a loop has written; that of a macro is marked as HTML here, and not by what calls it."""
        if force_unescaped and self._escapes(frame):
            self.writeline(f"return as_markup(concat({frame.buffer}))")
        else:
            super().return_buffer_contents(frame, force_unescaped)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if not self._escapes(frame) or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("(" if self._is_markup(node) else f"{escaped.__name__}(")

    def _escapes(self, frame: Frame) -> bool:
        """Whether texts are known to be escaped here."""
        return frame.eval_ctx.autoescape and not frame.eval_ctx.volatile

    def _is_markup(self, node: nodes.Expr) -> bool:
        """Whether a value is HTML whatever the page: that of a filter which says so."""
        written = self.environment.filters.get(node.name) if isinstance(node, nodes.Filter) else None
        return getattr(written, "__annotations__", {}).get("return") is Markup


class ThemeEnvironment(Environment):
    """The environment of an archive without templates of its own."""

    code_generator_class = _ThemeCode

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """The globals of a template, in one dictionary: each page copies them, and none is added later."""
        return {**self.globals, **(d or {})}

    def getitem(self, obj: Any, argument: Any) -> Any:  # noqa: ANN401  (as in Jinja)
        """A member by its name; a macro of an imported template is an attribute, so it is looked for as one first."""
        macro = vars(obj).get(argument) if isinstance(obj, TemplateModule) else None
        return super().getitem(obj, argument) if macro is None else macro
