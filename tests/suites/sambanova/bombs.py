# ruff: noqa: E501 (a bomb is one line)
"""Programs that would take for ever or fill the memory, each beside honest ones of its family.

A bomb is a line that is repeated for as long as the program may run, after lines that prepare it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """Bombs of one kind.

    Attributes:
        name: The kind.
        world: Where they run: ``plain``, ``sheets`` or ``table``.
        before: Lines that prepare them.
        bombs: Lines that are repeated.
        honest: A whole program of the same kind that has to run through.
    """

    name: str
    world: str
    before: str
    bombs: tuple[str, ...]
    honest: str

    def programs(self) -> list[str]:
        """Return the bombs as programs."""
        return [f"{self.before}\nwhile True:\n    {bomb}" for bomb in self.bombs]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


FAMILIES = (
    Family(
        "reductions",
        "plain",
        "x = list(range(25000))\nm = [[i] for i in range(12000)]\nf = [1.5] * 25000",
        _lines("""
            sum(x)
            max(x)
            min(x)
            sum(x, 5)
            sum(f)
            max(x, key=lambda n: -n)
            max(m, key=len)
            min(m, key=sum)
            all(x[1:])
            any(m)
            any([0] * 25000)
            len(sorted(x))
            sorted(x, key=str)
            sorted(m, key=len)
            sorted(m)
            x.sort()
            x.reverse()
            len(list(x))
            len(tuple(x))
            len(set(x))
            len(dict(zip(x, x)))
            len(list(enumerate(x)))
            len(list(zip(x, x, x)))
            len(list(map(str, x)))
            len(list(map(sum, m)))
            len(list(filter(None, x)))
            len(list(reversed(x)))
            x.count(-1)
            x.index(24999)
            -1 in x
            [-1] in m
            x == list(x)
            m == m
            m < m
            x + x[:10]
            x[::-1]
            x[:]
            x.copy()
            str(m[:3000])
            repr(x[:3000])
            next(iter(x))
            isinstance(tuple(x), list)
            divmod(sum(x), 7)
            [n for n in x]
            {n for n in x}
            {n: n for n in x}
            [*x]
            (*x, 1)
            a, *b = x
            x[5:5] = []
        """),
        "x = list(range(300))\nsum(x) + max(x) + len(sorted(x, key=lambda n: -n)) + sum(sum([n]) for n in x)",
    ),
    Family(
        "mathematics",
        "plain",
        "import math\nx = [1.5] * 25000\nn = 2 ** 1023 + 7\nk = 2 ** 1000 - 3",
        _lines("""
            math.dist(x, x)
            math.hypot(*x)
            pow(n, n - 1, k)
            pow(n, k, n - 2)
            pow(k, -1, n)
            n * n // n if n < 0 else n // 3
            n % 97
            divmod(n, k)
            str(n)
            int('7' * 300)
            round(n, -300)
            f'{n}'
            '%d' % n
            math.floor(1e308)
            float(n)
            n == k
            hash_free = {n: 1}
            math.sqrt(n)
        """),
        "import math\nround(math.dist([0, 0], [3, 4]) + math.hypot(3, 4) + pow(3, 20, 7) + 2 ** 100, 2)",
    ),
    Family(
        "texts",
        "plain",
        "s = 'a' * 19999\nw = 'ab ' * 6000\nb = 'b' + 'a' * 9999\nu = '\\U0001F600' * 9000",
        _lines("""
            s.rfind(b)
            s.find(b)
            s.count('a')
            s.count(b)
            s.index('a')
            s.rpartition(b)
            s.partition(b)
            w.split()
            w.rsplit(b)
            s.rsplit('a')
            s.replace('a', 'b')
            w.replace('ab', 'cd')
            s.upper()
            u.casefold()
            w.title()
            w.swapcase()
            s.strip('a')
            s.startswith(s)
            b in s
            'b' in s
            s == s[1:] + 'a'
            s < s[1:]
            len(s + 'b')
            s[::-1]
            s[::2]
            'x' * 20000
            s.ljust(20000)
            s.zfill(20000)
            s.center(20000)
            ','.join(w.split())
            ''.join([s[:9000], s[:9000]])
            f'{s}'
            f'{s!r}'
            '%s' % s
            '{}'.format(s)
            format_ = f'{1:999}'
            '%999d' % 7
            s.isalpha()
            w.splitlines()
            list(s)
            set(s)
            sorted(w)
            max(s)
            str([s[:9]] * 1500)
            repr(s)
            u + u
        """),
        "t = 'the quick brown fox ' * 20\nt.title().replace('The', 'A').split()[0] + t.strip()[-3:] + f'{len(t):>9}'",
    ),
    Family(
        "keys that meet",
        "plain",
        "p = 2 ** 61 - 1\nx = [p * i for i in range(1, 2500)]\nt = [(p * i,) for i in range(1, 1500)]\nd = {}",
        _lines("""
            set(x)
            len({k for k in x})
            dict(zip(x, x))
            set(t)
            {k: 1 for k in t}
            dict.fromkeys(x) if False else set(x) | set(x)
            set(x) & set(x)
            set(x).union(x)
            set(x).issubset(x)
            d[len(d) * p] = 1
            d.setdefault(len(d) * p, 1)
            d.update({len(d) * p: 2})
            d.update(zip(x, x))
            set(x).clear()
        """),
        "d = {}\nfor i in range(400):\n    d[(i, str(i))] = i\nlen(d) + len({2 ** 70, 2 ** 71}) + len(set(d))",
    ),
    Family(
        "growth",
        "plain",
        "x = [1] * 25000\nd = {i: i for i in range(5000)}\ns = {i for i in range(5000)}\nh = []",
        _lines("""
            h.append([0] * 25000)
            h.append('x' * 19999)
            h.append(list(range(25000)))
            h.append(tuple(range(25000)))
            h.append(dict(d))
            h.append(list(d.items()))
            h.append(s.copy())
            h.append(set(s))
            h.append([str(i) for i in range(2000)])
            h.append(2 ** 1000 + len(h))
            h.append([h[:50]])
            h.extend([0] * 9000)
            h.insert(0, 1)
            x.extend(range(10)); x.pop()
            x.insert(0, 1); x.pop()
            del x[0]; x.append(1)
            x.remove(1); x.append(1)
            d.update(d)
            s.update(s)
            s - s
            s | s
            s ^ s
            s <= s
            d == d
            d | d
            s.pop(); s.add(1)
            list(d.values())
            sorted(d)
            d.copy()
            {**d}
            h = [h, h]
            h = h + [h]
            h = {len(str(h)[:9]): h}
        """),
        "h = []\nfor i in range(200):\n    h.append(['x'] * 20)\nlen(h) + len(set(range(500)) | {3}) + len({**dict(a=1)})",
    ),
    Family(
        "arrays",
        "plain",
        "a = np.arange(20000)\nm = np.ones((150, 150))\nv = np.ones(150)\nf = np.linspace(0, 1, 20000)",
        _lines("""
            a.sum()
            a + 1
            a * a[0]
            np.sort(f)
            np.unique(a)
            a.argsort()
            np.outer(v, v)
            np.outer(v, v).sum()
            m @ m
            m.dot(v)
            np.median(f)
            np.cumsum(a)
            a.tolist()
            np.array([[1] * 100] * 100)
            np.array(list(range(9000)))
            np.where(f > 1)
            np.tile(v, 100)
            np.repeat(v, 100)
            np.meshgrid(v, v)
            np.concatenate([v] * 50)
            np.zeros(25000)
            np.arange(25000)
            np.eye(150)
            np.power(f, 0.3)
            f ** 0.3
            np.sin(f)
            np.isin(a, a) if False else a == a
            a[::-1]
            a[a > 5]
            m.T
            m.reshape(22500)
            np.linalg.norm(m)
            np.allclose(v, v)
            np.var(f)
            np.percentile(f, 5) if False else np.mean(f)
            str(a)
            f'{m}'
            sum(a)
            max(f)
            sorted(a)
            list(a)
            [x for x in a]
            np.stack([v, v])
            np.diff(a)
            np.flip(a)
            np.round(f, 2)
            np.clip(f, 0, 1)
            str([v] * 500)
            a[0] = 1
        """),
        "p = np.array([[0.1 * i, 0.2 * i] for i in range(50)])\nd = np.linalg.norm(p - p.mean(axis=0), axis=1)\n"
        "float(d.max()) + int(np.argmin(d)) + np.sort(d).tolist()[0]",
    ),
    Family(
        "walking",
        "plain",
        "def f(n):\n    return f(n - 1) + f(n - 1) if n else 1\ng = lambda h: h(h) if False else 1\nx = [0] * 25000",
        _lines("""
            f(12)
            [g(g) for i in range(9000)]
            pass
            1 if 2 else 3
            (lambda: 1)()
            [[i for i in range(100)] for j in range(100)]
            sum(i for i in range(9000))
            x[0] += 1
            x[24999]
            'a' 'b'
            {1: {2: {3: 4}}}[1][2][3]
            assert True
            z = y = w = 1
        """),
        "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n[fib(n) for n in range(12)][-1]",
    ),
    Family(
        "patterns",
        "sheets",
        "import re\nt = 'a' * 19000\nu = 'ab' * 9000\np = re.compile('((a?){30}){20}b')\nq = re.compile('(a*)*b')",
        _lines(r"""
            re.compile('(a|aa)+$').search(t + 'b')
            re.sub('a*a*a*b', 'x', t)
            re.sub('a*a*a*b', 'x', u)
            re.sub('(a|aa)+$', 'x', t + 'b')
            re.search('(x+x+)+y', 'x' * 19000)
            re.match('(a+)+b', t)
            re.search('(.*a){9}b', t)
            re.search('.*.*.*.*=.*', t)
            p.search(t)
            p.sub('x', u)
            p.sub('x', 'a' * 300)
            q.sub('x', u)
            q.search(t)
            re.sub('', 'x', t[:9000])
            re.sub('a', '\\g<0>' * 90, 'a' * 30)
            re.sub('(a+)', '\\1\\1', t[:900])
            re.search('[ab]*a[ab]{90}', u)
            re.fullmatch('([ab]{30}){20}c', u)
            re.search('\\b(\\w+\\s*)+:', 'word ' * 3000)
            re.match('^(([a-z])+.)+[A-Z]([a-z])+$', t)
            re.compile('a{500}')
            re.compile('(((a|b)|c)*d|e)*' * 6)
        """),
        "import re\nr = re.compile('[A-Z]+-([0-9]+)')\n"
        "[r.search('no AB-12') and re.sub('([A-Z]+)-([0-9]+)', '\\\\2/\\\\1', 'AB-12'), re.match('x|y', 'y')]",
    ),
    Family(
        "sheet calls",
        "sheets",
        "rows = [[i, i + 1, i * 2] for i in range(300)]\nworksheet.update('A1:C300', rows)",
        _lines("""
            worksheet.insert_row([1, 2, 3])
            worksheet.insert_row([1, 2, 3], 200)
            worksheet.insert_rows([[1], [2]], 5)
            worksheet.append_row([1, 2, 3])
            worksheet.append_rows([[1, 2, 3]] * 20)
            worksheet.delete_rows(2); worksheet.append_row([1])
            worksheet.insert_cols([[1]]); worksheet.delete_columns(1)
            worksheet.update_cell(1, 1, 5)
            worksheet.update_acell('A1', '=SUM(A2:C300)')
            worksheet.update('A1:C300', rows)
            worksheet.batch_update([{'range': 'A1', 'values': [[1]]}] * 100)
            worksheet.batch_clear(['A1:A2'] * 200)
            worksheet.batch_get(['A1:C300'] * 50)
            worksheet.get_all_values()
            worksheet.get_all_records()
            worksheet.get_all_cells()
            worksheet.range('A1:Z1000')
            worksheet.row_values(1)
            worksheet.col_values(1)
            worksheet.findall('7')
            worksheet.find('nothing')
            worksheet.acell('A1').value
            worksheet.sort((1, 'des'), range='A1:C300')
            worksheet.sort((1, 'des'), (2, 'asc'), (3, 'asc'))
            worksheet.copy_range('A1:C300', 'E1:G300')
            worksheet.cut_range('A1:A2', 'H1')
            worksheet.merge_cells('A1:Z1000', 'MERGE_ROWS'); worksheet.unmerge_cells('A1:Z1000')
            worksheet.format('A1:C300', {'textFormat': {'bold': True}})
            worksheet.batch_format([{'range': 'A1:C9', 'format': {'textFormat': {'bold': True}}}] * 100)
            worksheet.resize(rows=5000); worksheet.resize(rows=1000)
            worksheet.clear()
            worksheet.hide_rows(0, 9999)
            worksheet.add_dimension_group_rows(0, 9999)
            worksheet.freeze(rows=1)
            worksheet.duplicate(new_sheet_name='c'); sheet.del_worksheet(sheet.worksheet('c'))
            sheet.add_worksheet('t', 10, 10); sheet.del_worksheet(sheet.worksheet('t'))
            sheet.worksheets()
            sheet.fetch_sheet_metadata()
            sheet.values_get('sheet_1!A1:C300')
            sheet.values_batch_get(['sheet_1!A1:C300'] * 40)
            sheet.values_append('sheet_1!A1', {}, {'values': [[1]] * 50})
            sheet.batch_update({'requests': [{'sortRange': {'range': {'sheetId': 1}, 'sortSpecs': []}}] * 90})
            sheet.batch_update({'requests': [{'insertDimension': {'range': {'sheetId': 1, 'startIndex': 0, 'endIndex': 1}}}] * 50})
            worksheet.update_cells(worksheet.range('A1:C300'))
            worksheet.insert_note('A1', 'x' * 900)
            worksheet.define_named_range('A1:A2', 'n' + str(sum([1])))
        """),
        "for i in range(60):\n    worksheet.update_cell(i + 1, 5, i)\nworksheet.insert_row(['a', 'b'])\n"
        "worksheet.sort((1, 'asc'), range='A2:C9')\nlen(worksheet.get_all_values())",
    ),
    Family(
        "formulas",
        "sheets",
        "rows = [[i, i / 7, 'a' * 99] for i in range(600)]\nworksheet.update('A1:C600', rows)",
        _lines("""
            worksheet.update_acell('E1', '=STDEV(B1:B600)'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=SUMPRODUCT(A1:A600,B1:B600)'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=COUNTIF(C1:C600,"*a*a*a*b")'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=COUNTIF(C1:C600,"?*a?a?b*?b")'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=SUM(A1:B600' + '*1' * 400 + ')'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=SUM(' + 'A1:A600,' * 200 + '1)'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=MEDIAN(A1:C600)'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=' + '-' * 1900 + '1'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=' + '(' * 39 + '1' + ')' * 39); worksheet.acell('E1')
            worksheet.update_acell('E1', '=VLOOKUP(9999,A1:C600,2,FALSE)'); worksheet.acell('E1')
            worksheet.update('E1:E300', [['=SUM(A1:A600)']] * 300, raw=False); worksheet.acell('E1')
            worksheet.update('E1:E300', [['=E2+A1']] * 300, raw=False); worksheet.acell('E1')
            worksheet.update('E1:E300', [['=SUM(A1:A600)']] * 300, raw=False); worksheet.insert_row([1])
            worksheet.update_acell('E1', '=SUBSTITUTE(C1,"a","' + 'b' * 99 + '")'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=CONCATENATE(C1:C600)'); worksheet.acell('E1')
            worksheet.update_acell('E1', '=TEXTJOIN(",",TRUE,C1:C40)'); worksheet.acell('E1')
        """),
        "for i in range(20):\n    worksheet.update_acell(f'F{i + 1}', f'=SUM(A{i + 1}:B{i + 1})')\n"
        "worksheet.acell('F7').value",
    ),
    Family(
        "data frames",
        "sheets",
        "df = pd.DataFrame({'a': list(range(300)), 'b': [i % 7 for i in range(300)], 'c': ['x' * 9] * 300})\n"
        "n = 2 ** 33\nfar = pd.Series([i * n for i in range(9000)])",
        _lines("""
            pd.DataFrame({'a': [1, 2]})
            pd.DataFrame({'a': list(range(5000))})
            df.copy()
            df['a'].sum()
            df.describe()
            df.merge(df, on='b')
            df.merge(df, on='a')
            df.pivot_table(values='a', index='b', columns='c')
            df.groupby('b').sum()
            df.groupby('a').agg({'b': 'max'})
            df.groupby('a').apply(lambda g: 1)
            df.groupby('a').filter(lambda g: True)
            df.apply(lambda r: 1, axis=1)
            df['a'].apply(lambda v: v)
            df['a'].map(str)
            df['a'].apply(sum) if False else df['a'].apply(float)
            df.applymap(str)
            df.sort_values('a')
            df.drop_duplicates()
            df['a'].value_counts()
            far.unique()
            far.value_counts()
            df['a'].isin(list(range(2000)))
            df.isin([1, 2])
            pd.concat([df] * 20)
            pd.concat([df, df], axis=1)
            df.melt()
            df.T
            df.iterrows()
            df.itertuples()
            df.to_dict()
            df.to_dict('records')
            df.values
            df.loc[5]
            df.loc[df['a'] > 5]
            df.iloc[3:9]
            df['d'] = df['a'] + df['b']
            df['a'] > 3
            df == df
            df.reset_index()
            df.set_index('a')
            df.rename(columns={'a': 'z'})
            df.fillna(0)
            df.astype(str)
            df['c'].str.upper()
            df['c'].str.contains('(x|xx)+y')
            df['c'].str.count('x*x*x*y')
            df['c'].str.replace('x*x*y', '', regex=True)
            df['c'].str.split('x+y')
            df['c'].str.len()
            str(df)
            f'{df}'
            print(df.head(1)) if False else repr(df)
            str([df['a'].head(2)] * 60)
            df.quantile(0.5, numeric_only=True)
            df.mode()
            df.rank()
            df['a'].cumsum()
            pd.crosstab(df['a'], df['b'])
            pd.to_datetime(['2024-01-01'] * 500)
            pd.to_numeric(df['a'])
            df.groupby(['a', 'b', 'c']).size()
            df.stack()
            df.select_dtypes('number')
            get_as_dataframe(worksheet)
            set_with_dataframe(worksheet, df)
            set_with_dataframe(worksheet, df.head(2))
            df.nlargest(5, 'a')
            df.duplicated()
            df.agg(['sum', 'mean']) if False else df['a'].agg(['sum', 'mean'])
            df['a'].transform(lambda v: v)
            df.head(3)
            df.columns
            list(df['a'])
            sum(df['a'])
            np.where(df['a'] > 3, 'x', 'y')
        """),
        "df = pd.DataFrame({'k': ['a', 'b'] * 20, 'v': list(range(40))})\nt = df.groupby('k')['v'].sum()\n"
        "df['w'] = df['v'].apply(lambda v: v * 2)\nm = df.merge(df.head(4), on='k')\n"
        "set_with_dataframe(worksheet, df.sort_values('v'))\n[int(t['a']), len(m), df['k'].str.contains('a+').sum()]",
    ),
    Family(
        "the table",
        "table",
        "from shapely.geometry import LineString, Point\nimport itertools\nx = list(range(12))\n"
        "pts = [(i * 0.0001, -0.5) for i in range(4000)]\nline = LineString(pts)\ns = 'left of ' * 45",
        _lines("""
            list(itertools.permutations(x, 4))
            list(itertools.product(x, x, x))
            list(itertools.combinations(x, 6))
            list(itertools.product([1, 2], repeat=12))
            itertools.pairwise(x)
            line.length
            line.centroid
            line.interpolate(0.5, normalized=True)
            LineString(pts)
            affinity.rotate(line, 5)
            affinity.scale(line, 2, 2)
            affinity.translate(line, 1, 2)
            interpolate_pts_on_line(line, 1000)
            interpolate_pts_on_line(pts, 900)
            get_closest_idx(pts, [0, 0])
            get_farthest_point(pts[:900], [0, 0])
            parse_position('left of the ' * 30 + 'red block')
            parse_position('10 cm left of the red block')
            parse_obj_name('the block closest to the blue bowl')
            parse_question('how many blocks are left of the blue bowl?')
            transform_shape_pts('move it ' + '1 cm ' * 60, pts[:9])
            transform_shape_pts('left ' * 70, pts[:9])
            put_first_on_second('red block', 'top side')
            put_first_on_second('red block', [0.1, -0.5])
            get_obj_pos('red block')
            is_obj_visible('green block')
            get_obj_names()
            say('x')
            get_bbox('red block')
            denormalize_xy([0.5, 0.5])
            get_corner_name([0.1, -0.4])
            make_triangle(0.1, [0, -0.5])
            stack_objects_in_order(['red block', 'red block'])
            Point(0, 0).distance(Point(1, 1))
            get_obj_positions_np(['red block'] * 20)
            np.array(pts[:100]).mean(axis=0)
        """),
        "for name in get_obj_names():\n    if is_obj_visible(name) and 'block' in name:\n"
        "        put_first_on_second(name, parse_position('10 cm left of the blue bowl'))\n"
        "[interpolate_pts_on_line(make_line([0, -0.5], [0.1, -0.4]), 5).tolist()[0], len(parse_obj_name('all blocks'))]",
    ),
)
"""All families."""

WHOLE = (
    ("plain", "('%*d'*7) % ((10**9,5)*7)"),
    ("plain", "'%.*f' % (10**9, 1.5)"),
    ("plain", "'%(a)*d' % {'a': 5}"),
    ("plain", "'%-999d' * 4000 % ((1,) * 4000)"),
    ("plain", "'%s' * 4000 % (('x' * 19999,) * 4000)"),
    ("plain", "str([('x' * 19999)] * 25000)"),
    ("plain", "x = 'x' * 19999\nprint(*[1] * 25000, sep=x)"),
    ("plain", "x = 'x' * 19999\n('{0}' * 6000).format(x)"),
    ("plain", "x = 'x' * 19999\nf'" + "{x}" * 6000 + "'"),
    ("plain", "'x'.join(['a' * 19999] * 25000)"),
    ("plain", "x = [0]\nfor i in range(99):\n    x = [x, x]\nx == x"),
    ("plain", "x = [0]\nfor i in range(99):\n    x = [x, x]\nstr(x)"),
    ("plain", "x = (0,)\nfor i in range(99):\n    x = (x, x)\n{x: 1}"),
    ("plain", "[" * 150 + "]" * 150),
    ("plain", "x = " + "+".join(["1"] * 9000)),
    ("plain", "x = " + "[" + "0," * 9900 + "]"),
    ("plain", "[0 for a in range(9999) for b in range(9999) for c in range(9999)]"),
    ("plain", "def f(*a, **k):\n    return f(*a, *a, **k)\nf(1)"),
    ("plain", "x = []\nx.append(x)\nx == x"),
    ("plain", "s = set(range(30000))\ns.clear()\nlen(s)"),
    ("sheets", "worksheet.resize(10000, 702)"),
    (
        "sheets",
        "worksheet.resize(10000, 26)\nworksheet.update_acell('Z10000', 1)\nworksheet.get_all_values()",
    ),
    ("sheets", "worksheet.resize(10000, 26)\nworksheet.format('A1:Z10000', {'textFormat': {'bold': True}})"),
    ("sheets", "worksheet.resize(10000, 26)\nworksheet.merge_cells('A1:Z10000', 'MERGE_ROWS')"),
    ("sheets", "worksheet.resize(10000, 26)\nworksheet.copy_range('A1:Z5000', 'A5001')"),
    ("sheets", "worksheet.resize(10000, 26)\nworksheet.get_all_cells()"),
    ("sheets", "import re\nre.sub('a', '\\\\g<0>' * 900, 'a' * 9000)"),
    ("sheets", "import re\nre.compile('(' * 49 + ')' * 49)"),
    ("sheets", "pd.DataFrame(0, index=range(9999), columns=range(9999))"),
    ("sheets", "a = pd.DataFrame({'k': [1] * 9000})\na.merge(a, on='k')"),
)
"""Bombs that are whole programs, by world."""
