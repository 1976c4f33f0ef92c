"""Data frames are pandas' own, as far as programs may use them."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.dataframes.names import FIELDS, FUNCTIONS, METHODS
from stb_env.suites.sambanova.google_sheets.execution import own_sheet, plain, run_program
from stb_env.suites.sambanova.google_sheets.original_frame import read_columns
from stb_env.suites.sambanova.google_sheets.session import Session
from stb_env.suites.sambanova.google_sheets.sheet import Book, book_of
from tests.suites.sambanova.common.interpreter.mutants import mutants

pytest.importorskip("pandas", reason="data frames need the extra stb-env[sheets]")

GRID = [
    ["Item", "Kind", "Qty", "Cost"],
    ["nut", "small", 4, 0.5],
    ["bolt", "small", 10, 0.25],
    ["cog", "large", 3, 7],
    ["gear", "large", None, 9],
]
READ = "df = get_as_dataframe(worksheet).dropna(how='all', axis=0)\ndf = df.dropna(how='all', axis=1)\n"
WRITE = "\nworksheet.clear()\nset_with_dataframe(worksheet, df)"


def run(program: str, grid: list[list[Any]] | None = None) -> tuple[Any, Book]:
    session = Session(book_of(GRID if grid is None else grid))
    value = run_program(session, program).value
    return plain(value), session.book


def rows(program: str) -> list[list[str]]:
    return run(READ + program + WRITE + "\nworksheet.get_all_values()")[0]


def test_a_frame_has_the_whole_grid_and_keeps_its_labels():
    assert run("get_as_dataframe(worksheet).shape")[0] == [999, 26]
    assert run(READ + "df.shape, list(df.columns), list(df.index)")[0] == [
        [4, 4],
        ["Item", "Kind", "Qty", "Cost"],
        [0, 1, 2, 3],
    ]


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("df['Qty'].sum(), df.Qty.max(), df['Cost'].mean()", [17, 10, 4.1875]),
        ("df.loc[0, 'Item'], df.iloc[2, 2], df.at[1, 'Qty']", ["nut", 3, 10]),
        ("df[df['Qty'] > 3]['Item'].tolist()", ["nut", "bolt"]),
        ("df[(df.Kind == 'small') & (df.Qty > 5)].shape[0]", 1),
        ("df.sort_values('Cost', ascending=False)['Item'].tolist()", ["gear", "cog", "nut", "bolt"]),
        ("df.groupby('Kind')['Cost'].sum().to_dict()", {"large": 16, "small": 0.75}),
        ("df.groupby('Kind').agg({'Cost': 'max', 'Qty': ['sum']}).values.tolist()", [[9, 3], [0.5, 14]]),
        ("df.groupby('Kind').agg(top=('Cost', 'max'))['top'].tolist()", [9, 0.5]),
        ("df.pivot_table(values='Cost', index='Kind', aggfunc='sum').values.tolist()", [[16], [0.75]]),
        ("df.pivot_table(values='Cost', index='Kind', aggfunc=np.sum).values.tolist()", [[16], [0.75]]),
        ("pd.pivot_table(df, values='Cost', index='Kind', aggfunc=len).values.tolist()", [[2], [2]]),
        ("df['Item'].apply(lambda text: text.upper()).tolist()[:2]", ["NUT", "BOLT"]),
        ("df.apply(lambda row: row['Cost'] * 2, axis=1).tolist()", [1, 0.5, 14, 18]),
        ("df['Kind'].map({'small': 's', 'large': 'l'}).tolist()", ["s", "s", "l", "l"]),
        ("df['Item'].str.contains('o').tolist()", [False, True, True, False]),
        ("df['Item'].str.replace('o', '0').tolist()[1]", "b0lt"),
        ("df['Qty'].fillna(0).astype(int).tolist()", [4, 10, 3, 0]),
        ("df['Qty'].isna().sum(), df.dropna().shape[0]", [1, 3]),
        ("[(row['Item'], index) for index, row in df.iterrows()][0]", ["nut", 0]),
        ("[(name, len(group)) for name, group in df.groupby('Kind')]", [["large", 2], ["small", 2]]),
        ("np.round(df['Cost'] * 2).tolist()", [1, 0, 14, 18]),
        ("[(row.Item, row[0], row.Cost) for row in df.itertuples()][3]", ["gear", 3, 9]),
        ("[name for name, *_ in df.itertuples(index=False)]", ["nut", "bolt", "cog", "gear"]),
        ("df.append({'Item': 'pin'}, ignore_index=True)['Item'].tolist()[3:]", ["gear", "pin"]),
        ("df.append(df.head(1), ignore_index=True).shape", [5, 4]),
        ("df.append(pd.Series({'Item': 'pin', 'Cost': 2}, name=9))['Cost'].sum()", 18.75),
        ("del df['Cost']\nlist(df.columns)", ["Item", "Kind", "Qty"]),
        (
            "'cog' in df['Item'].values, 'pin' in df['Item'].values, 7 in df['Cost'].values",
            [True, False, True],
        ),
        ("pd.crosstab(df['Kind'], df['Item'])['nut'].tolist()", [0, 1]),
        ("df.add_suffix('_old').columns.tolist()[0]", "Item_old"),
        ("np.where(df['Cost'] > 1, 1, 0).tolist()", [0, 0, 1, 1]),
        ("np.where(df['Cost'] > 1, 'dear', df['Kind']).tolist()", ["small", "small", "dear", "dear"]),
        ("pd.concat([df, df]).drop_duplicates().shape[0]", 4),
        ("df.merge(pd.DataFrame({'Kind': ['small'], 'Box': [7]}), on='Kind')['Box'].tolist()", [7, 7]),
        ("df['Kind'].value_counts().to_dict()", {"small": 2, "large": 2}),
        ("df['Kind'].unique().tolist()", ["small", "large"]),
        ("df.values.tolist()[0], df.to_dict('records')[0]['Item']", [["nut", "small", 4, 0.5], "nut"]),
        ("df.T.shape, len(df), 'Qty' in df.columns, df.empty", [[4, 4], 4, True, False]),
        ("df.nlargest(1, 'Cost')['Item'].tolist(), df['Cost'].idxmax()", [["gear"], 3]),
        ("x = df['Qty'] * df['Cost']\nx.tolist()[:2]", [2, 2.5]),
        ("pd.to_numeric(pd.Series(['1', '2'])).sum()", 3),
    ],
)
def test_frames_are_computed_with_as_in_pandas(program: str, value: Any):
    assert run(READ + program)[0] == value


NUT, BOLT = ["nut", "small", "4", "0.5"], ["bolt", "small", "10", "0.25"]


@pytest.mark.parametrize(
    ("program", "first", "second"),
    [
        ("df.loc[df['Kind'] == 'small', 'Qty'] += 5", [*NUT[:2], "9", "0.5"], [*BOLT[:2], "15", "0.25"]),
        ("df['Qty'][0] = 99", ["nut", "small", "99", "0.5"], BOLT),
        ("df = df.drop(0)", BOLT, ["cog", "large", "3", "7"]),
        ("df = df.drop(columns=['Kind'])", ["nut", "4", "0.5"], ["bolt", "10", "0.25"]),
        ("df = df.drop('Kind', axis=1)", ["nut", "4", "0.5"], ["bolt", "10", "0.25"]),
        ("df = df.rename(columns={'Item': 'Name'})", NUT, BOLT),
        ("df['Sum'] = df['Qty'] + df['Cost']", [*NUT, "4.5"], [*BOLT, "10.25"]),
        ("df['Item'] = '=1+1'", ["2", *NUT[1:]], ["2", *BOLT[1:]]),
        ("df.Item = ['a', 'b', 'c', 'd']", ["a", *NUT[1:]], ["b", *BOLT[1:]]),
        (
            "df.loc[len(df)] = ['pin', 'tiny', 1, 2]\ndf = df.iloc[::-1]",
            ["pin", "tiny", "1", "2"],
            ["gear", "large", "", "9"],
        ),
        ("df = df.groupby('Kind')['Cost'].sum().reset_index()", ["large", "16"], ["small", "0.75"]),
        ("df.columns = [name.lower() for name in df.columns]", NUT, BOLT),
    ],
)
def test_what_is_done_to_a_frame_is_written_back(program: str, first: list[str], second: list[str]):
    assert rows(program)[1:3] == [first, second]


def test_formulas_are_read_as_texts_unless_they_are_asked_for():
    grid = [["A", "B"], [1, 2]]
    write = "worksheet.update_cell(2, 2, '=A2+1')\n"
    assert run(f"{write}get_as_dataframe(worksheet)['B'][0]", grid)[0] == "=A2+1"
    assert run(f"{write}get_as_dataframe(worksheet, evaluate_formulas=True)['B'][0]", grid)[0] == 2
    assert run(f"{write}get_as_dataframe(worksheet, nrows=1, usecols=['A']).shape", grid)[0] == [1, 1]


def test_writing_a_frame_leaves_what_is_outside_of_it():
    _, book = run(READ + "set_with_dataframe(worksheet, df.head(1), row=1, col=1)")
    assert own_sheet(book).cells[5, 1] == "gear"
    _, book = run(
        READ + "set_with_dataframe(worksheet, df.head(1), row=7, col=2, include_column_header=False)"
    )
    assert own_sheet(book).cells[7, 2] == "nut"
    _, book = run(READ + "set_with_dataframe(worksheet, df.head(1), include_index=True, resize=True)")
    sheet = own_sheet(book)
    # Row labels without a name have no title.
    assert (sheet.rows, sheet.columns, sheet.cells.get((1, 1)), sheet.cells[2, 1]) == (2, 5, None, 0)


def test_a_large_frame_enlarges_the_grid():
    _, book = run("set_with_dataframe(worksheet, pd.DataFrame({'a': list(range(1200))}))")
    assert own_sheet(book).rows == 1201


@pytest.mark.parametrize(
    "program",
    [
        "df.to_csv('x')",
        "df.to_pickle('x')",
        "df.to_excel('x')",
        "df.eval('Qty')",
        "df.query('Qty > 1')",
        "df.pipe(print)",
        "df.style",
        "df.plot",
        "df.sample()",
        "pd.read_csv('x')",
        "pd.read_pickle('x')",
        "pd.eval('1')",
        "pd.io",
        "pd.core",
        "pd.options",
        "df.apply('to_csv')",
        "df.apply('to_csv', args=('x',))",
        "df.agg('to_pickle')",
        "df.agg(['sum', 'to_csv'])",
        "df.agg({'Qty': 'to_csv'})",
        "df.transform('to_csv')",
        "df.groupby('Kind').agg(x=('Qty', 'to_csv'))",
        "df.groupby('Kind').apply('to_csv')",
        "df.pivot_table(values='Qty', index='Kind', aggfunc='to_csv')",
        "pd.crosstab(df['Kind'], df['Item'], df['Qty'], aggfunc='to_csv')",
        "df.to_string('file')",
        "df.pivot_table('Qty', 'Kind', None, 'to_csv')",
        "pd.pivot_table(df, 'Qty', 'Kind', None, 'to_csv')",
        "df['Qty'].apply('to_csv')",
        "df._mgr",
        "df.__class__",
        "df.loc.obj",
        "df['Item'].str._data",
        "df.filter(regex='(a+)+')",
        "df['Item'].str.zfill(10 ** 9)",
        "df.apply(print, engine='numba')",
    ],
)
def test_nothing_leads_from_a_frame_to_a_file_or_to_code(program: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if program == "df.apply(print, engine='numba')":
        with pytest.raises(CrashError):
            run(READ + program)
    else:
        with pytest.raises(CrashError, match=r"line 3: "):
            run(READ + program)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "program",
    [
        "pd.DataFrame(0, index=range(9999), columns=range(9999))",
        "pd.DataFrame(index=range(29999), columns=range(29999))",
        "x = pd.DataFrame({'a': [1] * 9999})\nx.merge(x, on='a')",
        "x = pd.DataFrame({'a': range(2000), 'b': range(2000)})\nx.pivot(index='a', columns='b')",
        "x = pd.Series(['a' * 99] * 999)\nfor i in range(40):\n    x = x + x",
        "x = pd.Series(['a' * 99] * 999)\nx * 10 ** 6",
        "x = pd.Series(['a' * 99] * 9999)\nx.cumsum()",
        "x = pd.Series([1] * 9999, index=[0] * 9999)\nx + pd.Series([1] * 9998, index=[0] * 9998)",
        "pd.concat([pd.DataFrame({'a' * n: [1]}, index=[n]) for n in range(1, 3000)], axis=1)",
        "pd.Series([2 ** 900])",
    ],
)
def test_no_frame_takes_more_than_its_share(program: str):
    with pytest.raises(CrashError):
        run(program)


def test_listed_names_are_pandas_names():
    import pandas as pd

    frame = pd.DataFrame({"a": ["x"]})
    owners = {
        "frame": frame,
        "series": frame["a"],
        "grouped": frame.groupby("a"),
        "index": frame.index,
        "texts": frame["a"].str,
        "dates": pd.Series(pd.to_datetime(["2024-01-01"])).dt,
    }
    skipped = {("series", "dt"), ("index", "str")}
    for table in (FIELDS, METHODS):
        for kind, names in table.items():
            for name in names:
                assert (kind, name) in skipped or hasattr(owners[kind], name), (kind, name)
    assert all(hasattr(pd, name) for name in FUNCTIONS)


PROGRAMS = [
    READ + "df['Sum'] = df['Qty'] + df['Cost']" + WRITE,
    READ + "df = df.groupby('Kind').agg({'Cost': 'max'}).reset_index()" + WRITE,
    READ + "df.loc[df['Kind'] == 'small', 'Qty'] += 5\nprint(df)",
    READ + "df['Item'].str.contains('o').tolist()",
    READ
    + "pd.concat([df, df]).sort_values(['Cost', 'Item'], ascending=[True, False]).head(3).values.tolist()",
]


def test_six_hundred_damaged_frame_programs_end_or_crash():
    for text in mutants(PROGRAMS, 300, seed=3):
        try:
            run(text)
        except CrashError:
            continue


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("df.groupby('Kind')[['Qty']].sum()", [["Kind", "Qty"], ["large", "3"], ["small", "14"]]),
        (
            "df.groupby('Kind').agg({'Qty': ['min', 'max']})",
            [["", "Qty", "Qty"], ["", "min", "max"], ["Kind"], ["large", "3", "3"], ["small", "4", "10"]],
        ),
        (
            "df.groupby('Kind').agg({'Qty': ['max']}).rename_axis(None)",
            [["", "Qty"], ["", "max"], ["large", "3"], ["small", "10"]],
        ),
    ],
)
def test_titles_are_written_with_a_row_for_each_level(made: str, written: list[list[str]]):
    width = max(map(len, written))
    program = f"worksheet.clear()\nset_with_dataframe(worksheet, {made}, include_index=True)"
    expected = [[*row, *[""] * (width - len(row))] for row in written]
    assert run(f"{READ}{program}\nworksheet.get_all_values()")[0] == expected


TITLES = st.sampled_from(["", "A", "A.1", "A.2", "Unnamed: 0", "Unnamed: 1", "Unnamed: 1.1", 7, "7.1", True])


@given(st.lists(TITLES, min_size=2, max_size=8))
def test_titles_that_repeat_or_are_missing_are_named_as_pandas_names_them(titles: list[Any]):
    reader = import_module("pandas.io.parsers").TextParser
    expected = list(reader([list(titles), [1] * len(titles)]).read().columns)
    assert read_columns([titles, [1] * len(titles)])[0] == expected
    assert run("list(get_as_dataframe(worksheet).columns)", [titles])[0][: len(titles)] == expected


WIDE = "d = pd.DataFrame([[1] * {}] * 3)\n"
GROWING = "d = pd.Series([[1] * 1000] * 10)\n"


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("pd.DataFrame([[1] * 20000])", "more than 1000 columns"),
        ("pd.DataFrame({'a': range(3000)}).T.describe()", "more than 1000 columns"),
        (WIDE.format(1000) + "d.describe()", "50000 steps"),
        (WIDE.format(1000) + "for i in range(50): d.diff()", "50000 steps"),
        (WIDE.format(900) + "d.set_index(list(range(800))).reset_index()", "up to 10 columns"),
        (WIDE.format(900) + "d.agg(['sum', 'min', 'max', 'mean', 'std', 'var', 'median'])", "50000 steps"),
        (WIDE.format(900) + "[d.head(1)] * 20", "more than 30000 members"),
        ("pd.DataFrame([[1]], index=[[1]] * 900)", "more than 10 levels"),
        ("pd.DataFrame([[i] * 9 for i in range(300)]).groupby(0).describe()", "50000 steps"),
        ("pd.DataFrame([[1] * 9] * 2000)[[0] * 20000]", "too large to be combined"),
        (GROWING + "for i in range(20): d = d + d", "more than 30000 members"),
        (GROWING + "d * pd.Series([10**5] * 10)", "too large to be combined"),
        ("pd.Series(['a' * 100]).mul(10**8)", "too large to be combined"),
        ("pd.Series([10**9]) * ['a' * 20]", "too large to be combined"),
        ("pd.Series([10**9, 'a']).pow(10**7)", "powers up to 100"),
        ("pd.Series(['%99999999d']) % 5", "not formatted"),
        ("d = pd.Series([10**9, 'a']).head(1)\nfor i in range(22): d = d * d", "more than 1024 bits"),
        ("d = pd.Series([(1, 1)])\nfor i in range(40): d = d.apply(lambda t: (t, t))", "30000 members"),
    ],
)
def test_no_wide_frame_and_no_list_in_a_cell_takes_more_than_its_share(program: str, told: str) -> None:
    began = process_time()
    with pytest.raises(CrashError, match=told):
        run("import pandas as pd\n" + program)
    assert process_time() - began < 2


def test_frames_of_a_hundred_columns_and_of_mixed_cells_are_computed_with() -> None:
    wide = "import pandas as pd\nd = pd.DataFrame([[1, 2] * 50] * 3)\n"
    assert run(wide + "d.describe().shape, d.agg(['sum', 'mean']).shape, (d * 2).T.shape")[0] == [
        [8, 100],
        [2, 100],
        [100, 3],
    ]
    assert run("(pd.Series([5, '']) * pd.Series([900, 3])).tolist()")[0] == [4500, ""]
    assert run("(pd.Series(['a']) * 3 + 'b').tolist(), (pd.Series([7, 'x']).head(1) % 4).tolist()")[0] == [
        ["aaab"],
        [3],
    ]


def test_no_place_in_memory_is_told() -> None:
    made = "import pandas as pd\nd = pd.DataFrame({'a': ['1', '2'], 'b': [3, 4]})\n"
    for written in (
        "d.loc",
        "str(d.groupby('a'))",
        "f'{d.loc!r}'",
        "[d.loc]",
        "pd.Series([len, d.loc.shape])",
    ):
        with suppress(CrashError):
            assert "0x" not in str(run(made + written)[0]), written
    with pytest.raises(CrashError, match="astype: TypeError: Cannot interpret '<function lambda>'"):
        run(made + "d.astype({'a': lambda x: 1})")
    assert run(made + "d.astype({'a': int}).a.sum(), 'at 0x7fa7ee8502c0'")[0] == [3, "at 0x7fa7ee8502c0"]
