"""Costs of a program's operations: steps that are taken off before each is carried out.

A rule gets the arguments and says how many steps they are worth, of what is read and, where a result can be
larger than that, of what is made. Nothing is given back, so the steps bound a program's memory as well as its
time: a step stands for at most `SHARE` members, or some ten microseconds of work.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from stb_env.suites.sambanova.common.interpreter.budget import LINE, SHARE, extent, weigh, width
from stb_env.suites.sambanova.common.interpreter.ordered import OrderedSet

Args = Sequence[object]
Options = Mapping[str, object]
Cost = Callable[[Args, Options], int]
"""Steps of a call, from its arguments."""

RULES = 3
"""Version of these rules and of what patterns know, for fingerprints: they say what runs through, and
change no task."""

_NUMBERS = (int, float, type(None))
_CHARACTERS = 20
"""Characters that one step reads where a text is gone through one by one."""

_COMPARED = 20_000
"""Pairs of characters that one step compares."""

_MEETINGS = 500
"""Keys that one step compares where all of them may meet in one place of a table."""

_TABLE = 100
"""Steps of beginning to write out a table of data."""

_KEY_BITS = 60
"""Integers of more bits can be chosen so that their hashes are equal."""


def words(text: str, cost: Cost) -> dict[str, Cost]:
    """Return one rule for several names.

    Examples:
        >>> sorted(words("sin cos", FLAT))
        ['cos', 'sin']
    """
    return dict.fromkeys(text.split(), cost)


def flat(steps: int) -> Cost:
    """Return the rule of what takes the same time whatever it is given.

    Examples:
        >>> flat(3)([[0] * 1_000], {})
        3
    """
    return lambda _args, _options: steps


def at_least(steps: int, cost: Cost) -> Cost:
    """Return a rule with so many steps more, for what is slow to begin."""
    return lambda args, options: steps + cost(args, options)


def read(args: Args, options: Options) -> int:
    """Return the steps of going through all that is given, nested members and texts too.

    Examples:
        >>> read([[1] * 400], {}), read([1, 2.5], {})
        (20, 0)
    """
    members = 0
    for value in (*args, *options.values()) if options else args:
        if isinstance(value, str):
            members += len(value) // LINE
        elif not isinstance(value, _NUMBERS):
            members += weigh(value)
    return members // SHARE


def through(args: Args, options: Options) -> int:
    """Return the steps of going through all that is given, texts letter by letter.

    Examples:
        >>> through(["a" * 400], {}), read(["a" * 400], {})
        (20, 0)
    """
    letters = sum(len(value) for value in (*args, *options.values()) if isinstance(value, str))
    return read(args, options) + letters // SHARE


def glance(args: Args, options: Options) -> int:
    """Return the steps of going through the members of what is given, and not into them."""
    return sum(len(value) for value in (*args, *options.values()) if hasattr(value, "__len__")) // SHARE


def sort(args: Args, options: Options) -> int:
    """Return the steps of putting what is given in order.

    Examples:
        >>> sort([list(range(1_000))], {})
        500
    """
    return sum(
        max(weigh(value), len(value)) * max(1, len(value).bit_length()) // SHARE
        for value in (*args, *options.values())
        if hasattr(value, "__len__")
    )


def spell(args: Args, options: Options) -> int:
    """Return the steps of going through a text letter by letter, and through whatever else is given."""
    text = args[0]
    return through(args[1:], options) + (len(text) if isinstance(text, str) else 0) // _CHARACTERS


def search(args: Args, options: Options) -> int:
    """Return the steps of looking for one text in another, which from the right compares all with all.

    Examples:
        >>> search(["a" * 20_000, "b" + "a" * 9_999], {})
        11505
    """
    text, *others = args
    size = len(text) if isinstance(text, str) else 0
    wanted = sum(len(other) for other in others if isinstance(other, str))
    return spell(args, options) + size * wanted // _COMPARED


def keys(args: Args, options: Options) -> int:
    """Return the steps of putting members into a set or a table."""
    return through(args, options) + sum(map(meetings, args))


def meetings(items: object) -> int:
    """Return the steps that keys may take because all of them can be made to meet in one place of a table.

    Texts are safe, since their hashes differ from process to process, and so are small numbers.

    Examples:
        >>> meetings(["a", 1, 2.5] * 500), meetings([(1, 2)] * 1_000)
        (0, 2000)
    """
    if not isinstance(items, list | tuple | dict | OrderedSet):
        return 0
    chosen = sum(is_choosable(item) for item in items)
    return chosen * len(items) // _MEETINGS


def is_choosable(key: object) -> bool:
    """Return whether a key can be made to have the hash of another.

    Examples:
        >>> is_choosable(7), is_choosable("a"), is_choosable(2**61), is_choosable((7,))
        (False, False, True, True)
    """
    return isinstance(key, tuple) or (isinstance(key, int) and key.bit_length() > _KEY_BITS)


def place(table: object, key: object) -> int:
    """Return the steps of finding a key in a table: it is hashed, and compared where hashes meet.

    Examples:
        >>> place({}, "a"), place(dict.fromkeys(range(400)), (1,) * 100)
        (0, 25)
    """
    size = len(table) if isinstance(table, dict | OrderedSet) else 0
    return read([key], {}) + (size // SHARE if is_choosable(key) else 0)


def _find(args: Args, options: Options) -> int:
    table, *others = args
    return read(others[1:], options) + sum(place(table, key) for key in others[:1])


def write(args: Args, options: Options) -> int:
    """Return the steps of writing out all that is given: a table of data cell by cell.

    Examples:
        >>> write([[1] * 400], {}), write(["a" * 400], {})
        (20, 20)
    """
    return through(args, options) + sum(map(_cells, (*args, *options.values())))


def _cells(value: object) -> int:
    """Return the steps of writing out the tables of data in a value that was weighed."""
    if hasattr(value, "to_string"):
        return _TABLE + extent(value) + 2 * width(value)
    if isinstance(value, dict):
        return sum(map(_cells, value.values()))
    return sum(map(_cells, value)) if isinstance(value, list | tuple) else 0


def _fill(args: Args, options: Options) -> int:
    template, *values = args
    fields = template.count("{") if isinstance(template, str) else 0
    return spell([template], {}) + fields + write(values, options)


def _types(args: Args, options: Options) -> int:
    return glance(args[1:], options)


def _bits(args: Args, options: Options) -> int:
    numbers = (*args, *options.values())
    return 1 + sum(number.bit_length() for number in numbers if isinstance(number, int)) // 10


def _pairs(args: Args, options: Options) -> int:
    product = 1
    for value in args:
        product *= max(1, len(value) if hasattr(value, "__len__") else 1)
    return read(args, options) + product // SHARE


def _contains(args: Args, options: Options) -> int:
    item, items = args
    if isinstance(items, str):
        return search([items, item], options)
    # A key is found by its hash, yet those of a set and the values of a list are looked at one by one here.
    return read(args, options)


def _repeats(args: Args, options: Options) -> int:
    """Return the steps of what is given twice over: values that are gone through once more, each a tuple."""
    return 2 * glance(args, options)


FLAT: Cost = flat(0)
"""Nothing besides the step of the call itself."""

OPERATORS: Mapping[type[ast.AST], Cost] = {
    **dict.fromkeys((ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub), keys),
    **dict.fromkeys((ast.Div, ast.FloorDiv, ast.Pow, ast.MatMult, ast.Mod), read),
    **dict.fromkeys((ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE), read),
    **dict.fromkeys((ast.In, ast.NotIn), _contains),
    **dict.fromkeys((ast.Is, ast.IsNot), FLAT),
    **dict.fromkeys((ast.USub, ast.UAdd, ast.Not, ast.Invert), FLAT),
}
"""Operators, unless both sides are plain numbers: these are bounded so that each takes its one step."""

BUILTINS: Mapping[str, Cost] = {
    **words("abs bool chr len next ord range", FLAT),
    **words("all any enumerate filter float int iter list map reversed round tuple zip", _repeats),
    **words("max min sum", through),
    **words("print repr str", write),
    "isinstance": _types,
    **words("dict set", keys),
    **words("divmod pow", _bits),
    "sorted": sort,
    # The text of a number is read digit by digit, and all digits again for each.
    "int": spell,
}
"""Python's functions."""

METHODS: Mapping[str, Mapping[str, Cost]] = {
    "str": {
        **words("capitalize casefold isalnum isalpha isdecimal isdigit islower isnumeric isspace", spell),
        **words("istitle isupper lower lstrip rstrip splitlines strip swapcase title upper", spell),
        **words("center ljust rjust zfill", spell),
        **words("removeprefix removesuffix startswith endswith", spell),
        **words("count find index partition replace rfind rindex rpartition rsplit split", search),
        "format": _fill,
        "join": spell,
    },
    "list": {
        **words("append clear pop", FLAT),
        **words("copy insert reverse extend", _repeats),
        **words("count index remove", read),
        "sort": sort,
    },
    "tuple": words("count index", read),
    "dict": {
        **words("clear popitem", FLAT),
        **words("get pop", _find),
        **words("copy items keys values", _repeats),
        **words("setdefault update", keys),
    },
    "set": {
        **words("clear pop", FLAT),
        **words("discard remove", _find),
        "copy": _repeats,
        **words("add difference intersection isdisjoint issubset issuperset union update", keys),
    },
    "float": words("is_integer", FLAT),
}
"""Methods of plain values, which come first among the arguments."""

MATH: Mapping[str, Cost] = {
    **words("acos asin atan atan2 ceil cos degrees exp fabs floor fmod isclose isfinite isinf isnan", FLAT),
    **words("log log10 log2 pow radians sin sqrt tan trunc", FLAT),
    **words("dist hypot", read),
}
"""The library of the same name."""

_ARRAY = at_least(2, read)
NUMPY: Mapping[str, Cost] = {
    **words("abs absolute add all any around append arccos arcsin arctan arctan2 argmax argmin", _ARRAY),
    **words("argwhere array asarray average ceil clip column_stack concatenate copy cos", _ARRAY),
    **words("count_nonzero cumsum deg2rad degrees delete diff divide exp flatnonzero flatten flip", _ARRAY),
    **words("floor full_like hstack hypot insert isfinite isnan item log log10 log2 max maximum", _ARRAY),
    **words("mean median min minimum mod multiply ndarray negative nonzero norm ones_like power", _ARRAY),
    **words(
        "prod rad2deg radians ravel repeat reshape roll round sign sin sqrt square squeeze stack", _ARRAY
    ),
    **words("std subtract sum tan tolist transpose var vstack where zeros_like astype tile", _ARRAY),
    **words("allclose array_equal cross dot isclose", at_least(4, read)),
    **words("arange empty eye full linspace ones zeros", _ARRAY),
    **words("argsort sort unique", at_least(4, sort)),
    **words("meshgrid outer", at_least(2, _pairs)),
    **words("float32 float64 int32 int64", FLAT),
}
"""NumPy's functions and the methods of arrays; what is made is bounded before it is charged."""


def spent(cost: Cost, value: object) -> Cost:
    """Return the rule of a method with the value that it is a method of."""
    return lambda args, options: cost((value, *args), options)
