"""Programs are valid Python as models write it: each line here is one thing that they do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.tabletop.demos import SCENE
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.world import run


def value(program: str, *, original: bool = False) -> Any:
    found = run(program, Robot(SCENE, original=original)).value
    return found.tolist() if isinstance(found, np.ndarray) else found


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        # Unpacking, comprehensions, texts.
        ("(a, b), *c = [1, 2], 3, 4\na, b, c", (1, 2, [3, 4])),
        ("x, y = get_obj_pos('green block')\nx, y", (-0.1, -0.35)),
        ("{n: i for i, n in enumerate(objects) if 'bowl' in n}", {"red bowl": 3, "cyan bowl": 4}),
        ("[[i * j for j in range(2)] for i in range(3)]", [[0, 0], [0, 1], [0, 2]]),
        ("f'{get_obj_pos(\"green block\")[0]:.2f} of {len(objects)}'", "-0.10 of 5"),
        ("'%s has %.1f' % ('it', 2) + ' and {0}'.format(3)", "it has 2.0 and 3"),
        # Loops and branches.
        ("n = 0\nwhile True:\n    n += 1\n    if n > 3:\n        break\nn", 4),
        ("for n in objects:\n    pass\nelse:\n    n = 'none left'\nn", "none left"),
        ("if (n := len(objects)) > 2:\n    m = n\nm", 5),
        # Functions.
        (
            "def f(a, *more, b=1, **named):\n    return a, more, b, named\nf(1, 2, b=3, c=4)",
            (1, (2,), 3, {"c": 4}),
        ),
        ("def f(a, /, b):\n    return a - b\nf(3, b=1)", 2),
        ("(lambda *a, k=2: len(a) * k)(1, 1)", 4),
        ("def f(n: int) -> int:\n    return 1 if n < 2 else n * f(n - 1)\nf(5)", 120),
        (
            "def f(points: list[float], n: 'int' = 2):\n    return points[:n]\nf(*[[1, 2, 3]], **{'n': 1})",
            [1],
        ),
        # Generators.
        ("next(n for n in objects if 'bowl' in n)", "red bowl"),
        ("next((n for n in objects if 'cup' in n), None)", None),
        ("it = iter([1, 2])\nnext(it), next(it), next(it, 'no more')", (1, 2, "no more")),
        ("max(objects, key=lambda n: get_obj_pos(n)[0])", "cyan bowl"),
        ("sum(1 for n in objects if 'block' in n), any(n == 'red bowl' for n in objects)", (3, True)),
        ("dict(zip('ab', map(len, objects)))", {"a": 11, "b": 12}),
        # Libraries.
        ("import numpy as np\nfrom math import sqrt\nimport math\nsqrt(4) + math.pi - np.pi", 2.0),
        (
            "from shapely.geometry import Point, LineString\nfrom shapely import affinity\nPoint(1, 2).xy",
            ([1.0], [2.0]),
        ),
        ("import shapely\nshapely.geometry.box(0, 0, 2, 1).area", 2.0),
        (
            "from itertools import combinations as c, product as p\nlen(c(objects, 2)), p('ab', repeat=2)[1]",
            (10, ("a", "b")),
        ),
        ("from typing import List\ndef f(x: List[str]) -> List[str]:\n    return x\nf([1])", [1]),
        ("if __name__ == '__main__':\n    n = 1\nn", 1),
        ("[p.x for p in MultiPoint([[0, 0], [1, 1]]).geoms]", [0.0, 1.0]),
        # Arrays.
        ("np.linalg.norm(get_obj_positions_np(objects) - get_obj_pos('red bowl'), axis=1).argmin()", 3),
        ("np.linalg.norm([3, 4], ord=2)", 5.0),
        ("list(np.array(objects)[np.argsort([get_obj_pos(n)[0] for n in objects])])[0]", "red bowl"),
        ("np.array(objects)[[True, False, False, False, True]].tolist()", ["green block", "cyan bowl"]),
        ("np.zeros_like([1.0]) + np.full_like([1.0], 2) + np.ones_like([1.0])", [3.0]),
        ("np.column_stack(([1, 2], [3, 4]))", [[1, 3], [2, 4]]),
        ("np.append([1, 2], 3)", [1, 2, 3]),
        ("np.delete(np.insert([1, 2], 0, 5), 1)", [5, 2]),
        ("np.tile([1, 2], 2) + np.repeat([1, 2], 2) + np.roll([0, 1, 2, 3], 1)", [5, 3, 4, 6]),
        ("np.tile([1, 2], (2, 1))", [[1, 2], [1, 2]]),
        ("np.nonzero(np.array([1, 0, 2]))[0]", [0, 2]),
        ("np.array(np.meshgrid([1, 2], [3, 4])).shape", (2, 2, 2)),
        ("np.array([[1, 2], [3, 4]])[np.newaxis].shape", (1, 2, 2)),
        ("np.array([1, 2], dtype=np.float64) / np.int64(2)", [0.5, 1.0]),
        ("p = np.array([3, 1, 2])\np.sort()\np += 1\np[::-1]", [4, 3, 2]),
        ("p = get_obj_pos('green block')\np[1] += 0.1\np.round(2)", [-0.1, -0.25]),
        ("isinstance(get_obj_pos('middle'), np.ndarray)", True),
        ("pow(2, 3), pow(2, 3, 5), divmod(7, 2)", (8, 3, (3, 1))),
    ],
)
def test_it_means_what_it_means_to_python(program: str, wanted: Any):
    assert value(program) == wanted


def test_a_type_for_annotations_is_told_by_its_name_where_it_is_more():
    for program in ("List[int]", "Pairs = List[int]\ndef f(x: Pairs): return x"):
        with pytest.raises(CrashError, match=r"typing\.List has no members"):
            value(f"from typing import List\n{program}")


@pytest.mark.parametrize(
    "program",
    [
        "np.tile([1, 2], 10 ** 9)",
        "np.tile([1], (10 ** 3, 10 ** 3))",
        "np.repeat([1] * 1000, [1000] * 1000)",
        "np.meshgrid(range(1000), range(1000))",
        "np.full_like(np.zeros(10), 10 ** 400)",
        "from itertools import permutations\npermutations(range(30000))",
        "from itertools import product\nproduct([1], repeat=10 ** 9)",
        "pow(10, 10 ** 9)",
        "next([1])",
        "next(n for n in [])",
        "np.array(objects) + 1",
        "def f(a, /):\n    return a\nf(a=1)",
        "def f(*a):\n    return a\nf(b=1)",
        "import os",
        "from numpy import random",
        "from shapely.wkt import loads",
    ],
)
def test_what_has_no_end_or_no_meaning_is_a_crash(program: str):
    with pytest.raises(CrashError):
        value(program)


@pytest.mark.parametrize(
    "program", ["import numpy as np\nsay('a')", "say('import')", "say('__')", "x__y = 1"]
)
def test_the_original_refuses_imports_and_double_underscores_wherever_they_stand(program: str):
    value(program)
    with pytest.raises(CrashError, match=r"^programs must not contain '(import|__)'$"):
        value(program, original=True)


def test_the_names_of_all_objects_are_given_in_both_modes():
    for original in (False, True):
        assert value("objects == get_obj_names()", original=original) is True
