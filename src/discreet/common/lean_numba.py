"""How Numba compiles our loops: what it does for any function, and ours do without, is left out.

Nothing of the loops changes, only how long compiling takes. A loop that only loops call needs neither a door for Python
nor machine code: it is compiled into its callers, and optimised as a part of them. A number written in a call does not
make a loop of its own. Loops that make no arrays count no references to them, and are optimised once, lightly. A loop
that is on disk is loaded by itself. Which operator adds two integers is looked up once. What Numba tries in vain is not
told in bold, for which it would take hold of standard output each time: nobody sees most of these texts.

This goes by names inside Numba: it is done for versions with which it was tried, and left with any other.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined"
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType
from typing import Any

import numba
from numba import _dynfunc
from numba.core import errors, ir, types
from numba.core.compiler import Compiler, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.runtime import rtsys
from numba.core.typed_passes import NativeLowering
from numba.core.types import functions

from discreet.common.own_program import MATRICES, sparing

Function = Callable[..., Any]
TRIED = {(0, 68)}
"""Versions of Numba with which this was tried."""
_NUMBERS = types.Integer, types.Boolean, types.Float, types.IntegerLiteral, types.BooleanLiteral

_known: dict[tuple[Any, Any], Any] = {}
"""What an operator makes of numbers and arrays, by the operator and their types."""
_operators: Any = functions.BaseFunction
_looking_up = _operators.get_call_type
_list_vars = ir.Inst._rec_list_vars
_LEAVES = {str, int, bool, type(None), ir.Loc, BuiltinFunctionType}
"""Parts of an instruction in which no variable is."""
_depth = [0]


def options(inner: bool) -> dict[str, Any]:
    """Return what Numba is asked for besides: `inner` for loops that only loops call."""
    if numba.version_info.short not in TRIED:
        return {}
    if inner:
        return {"pipeline_class": _InnerCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return {"pipeline_class": _OuterCompiler, "no_cfunc_wrapper": True}


def inlined() -> dict[str, Any]:
    """Return what Numba is asked for with loops that are compiled into whatever calls them.

    Numba's own way reads and types such a loop anew at each place where it is called; here that is left to LLVM, which
    comes to the same code.
    """
    if numba.version_info.short not in TRIED:
        return {"inline": "always"}
    return {**options(inner=True), "forceinline": True, "nogil": True}


def any_number(compiled: Any) -> None:
    """Have a loop compiled once for all numbers: Numba would do so for each that is written in a call."""
    if numba.version_info.short in TRIED:
        ask = compiled.get_call_template
        compiled.get_call_template = lambda args, kws: ask([types.unliteral(arg) for arg in args], kws)


def load_alone(compiled: Any) -> None:
    """Have a loop that is kept on disk loaded without what Numba needs to compile others, which takes as long again.

    Where it is not on disk, Numba loads all that when it compiles it.
    """
    if numba.version_info.short in TRIED:
        cache = compiled._cache
        cache.load_overload = lambda signature, context: _loaded(cache, signature, context)


def load_each(compiled: Any) -> None:
    """Load a loop for whatever it was compiled for before; what was compiled for another machine is left alone."""
    cache = compiled._cache
    if numba.version_info.short in TRIED and (file := getattr(cache, "_cache_file", None)) is not None:
        codegen = compiled.targetctx.codegen()
        for key in file._load_index():
            if key == cache._index_key(key[0], codegen):
                compiled.compile(key[0])


def _loaded(cache: Any, signature: Any, context: Any) -> Any:
    rtsys.initialize(context)  # whoever makes arrays needs it when running, too
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, context)


@register_pass(mutates_CFG=True, analysis_only=False)
class _OuterLowering(NativeLowering):
    """Lowering that counts references only where arrays are made; where none are, LLVM does what pays for our loops."""

    _name = "discreet_outer_lowering"

    def run_pass(self, state: Any) -> bool:
        if not _makes_arrays(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
            if state.library is None:
                state.library = library = _library(state)
                library._optimize_final_module = lambda: _optimise(library)
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(_OuterLowering):
    """Lowering for loops that only loops call: no machine code, no wrapper."""

    _name = "discreet_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        library = _library(state)
        library._finalize_final_module = lambda: _end(library)
        library._optimize_final_module = lambda: None  # as a part of its callers
        state.library = library
        state.flags = state.flags.copy()
        state.flags.no_compile = True
        super().run_pass(state)
        found = state["cr"]
        function = _dynfunc.make_function(
            found.fndesc.lookup_module(), found.fndesc.qualname.split(".")[-1], "", 0, found.env, (library,)
        )
        state["cr"] = _LowerResult(found.fndesc, found.call_helper, cfunc=function, env=found.env)
        state.targetctx.insert_user_function(function, found.fndesc, [library])
        library._ensure_finalized()
        state.reload_init.extend(library._reload_init)
        return True


def _library(state: Any) -> Any:
    """Return a library for a loop, as Numba makes it."""
    library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
    library.enable_object_caching()
    return library


def _optimise(library: Any) -> None:
    """Optimise a library once and lightly: loops that go from entry to entry by number are no quicker for more.

    Numba does so twice, and looks for what could be done for several numbers at once.
    """
    passes, builder = library._codegen._module_pass_manager(opt=1, loop_vectorize=False, slp_vectorize=False)
    passes.run(library._final_module, builder)


def _end(library: Any) -> None:
    """Call a library complete that is never run, only compiled into others."""
    library._finalize_dynamic_globals()
    library._finalized = True


def _makes_arrays(state: Any) -> bool:
    """Whether a loop may make an array, or have or give one that was made: then its references are counted."""
    models = state.targetctx.data_model_manager

    def counted(kind: Any) -> bool:
        return bool(models[kind].contains_nrt_meminfo())

    if counted(state.return_type):
        return True
    for block in state.func_ir.blocks.values():
        for step in block.body:
            if isinstance(step, ir.Assign) and isinstance(step.value, ir.Expr):
                made = step.value.op not in ("getattr", "getitem", "static_getitem", "cast", "getiter", "phi")
                made = made and step.value.op not in ("iternext", "pair_first", "pair_second", "exhaust_iter")
                if made and counted(state.typemap[step.target.name]):
                    return True
            elif isinstance(step, ir.SetItem | ir.StaticSetItem):
                _, where, what = state.calltypes[step].args
                if counted(what) or isinstance(where, types.SliceType):
                    return True
    return False


class _OuterCompiler(Compiler):
    """Numba's way to compile, ours in parts."""

    lowering: type = _OuterLowering

    def __init__(self, *said: Any) -> None:
        with sparing(*MATRICES):
            import numba.np.arraymath  # noqa: F401 - what Numba loads now to compile anything
        super().__init__(*said)

    def compile_extra(self, function: Any) -> Any:
        with _quick_lookup():
            return super().compile_extra(function)

    def define_pipelines(self) -> Any:
        managers: Any = super().define_pipelines()
        for manager in managers:
            manager.passes = [
                (self.lowering if step is NativeLowering else step, text) for step, text in manager.passes
            ]
            manager._finalized = False
            manager.finalize()
        return managers


class _InnerCompiler(_OuterCompiler):
    """The same for loops that only loops call."""

    lowering = _InnerLowering


@contextmanager
def _quick_lookup() -> Iterator[None]:
    """Look up what an operator makes of numbers and arrays once while this compiles (which it does alone)."""
    _depth[0] += 1
    _operators.get_call_type = _look_up
    ir.Inst._rec_list_vars = _variables  # type: ignore[method-assign]
    plain = errors._termcolor_inst if _depth[0] > 1 or numba.config.COLOR_SCHEME != "no_color" else _PlainTexts()
    kept, errors._termcolor_inst = errors._termcolor_inst, plain
    try:
        yield
    finally:
        errors._termcolor_inst = kept
        _depth[0] -= 1
        if not _depth[0]:
            _operators.get_call_type = _looking_up
            ir.Inst._rec_list_vars = _list_vars  # type: ignore[method-assign]


def _variables(said: Any, value: Any) -> list[Any]:
    """List the variables in a part of an instruction as Numba does, but without a look into what has none."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return _list_vars(said, value)  # type: ignore[no-any-return]
    found: list[Any] = []
    for part in value:
        kind = type(part)
        if kind is ir.Var:
            found.append(part)
        elif kind not in _LEAVES:
            found += _variables(said, part)
    return found


class _PlainTexts:
    """Texts of errors as they are."""

    def as_it_is(self, text: str) -> str:
        """Return a text."""
        return text

    code = errmsg = filename = indicate = highlight = reset = as_it_is


def _look_up(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of an operator for these types."""
    if kws or not all(_is_plain(arg) for arg in args):
        return _looking_up(self, context, args, kws)
    key = self, tuple(args)
    found = _known.get(key)
    if found is None or found.args not in self._impl_keys:
        found = _known[key] = _looking_up(self, context, args, kws)
    return found


def _is_plain(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return all(isinstance(part, _NUMBERS) for part in kind.types)
    return isinstance(kind, (*_NUMBERS, types.Array))
