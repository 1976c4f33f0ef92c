"""Right programs for goals of one change."""

from __future__ import annotations

from tests.suites.sambanova.google_sheets.snippets import (
    BACK,
    HELPERS,
    READ,
    RECORDS,
    REWRITE,
    Write,
    down,
    formula_total,
    frame_total,
    key_of,
    names,
    pairs,
    row_test,
    sorted_frame,
    test_of,
    total,
    width,
)

UPDATE_VALUE: list[Write] = [
    lambda t, s: f"{READ}df.loc[df[{key_of(t)!r}] == {s['name']!r}, {s['column']!r}] = {s['value']}\n{BACK}",
    lambda t, s: (
        f"cell = worksheet.find({s['name']!r})\ncol = worksheet.find({s['column']!r}).col\n"
        f"worksheet.update_cell(cell.row, col, '{s['value']}')"
    ),
    lambda t, s: (
        "df = get_as_dataframe(worksheet)\n"
        f"df.loc[df[{key_of(t)!r}] == {s['name']!r}, {s['column']!r}] = {s['value']}\n"
        "set_with_dataframe(worksheet, df)"
    ),
]
REPLACE_TEXT: list[Write] = [
    lambda t, s: (
        f"{READ}df[{s['column']!r}] = df[{s['column']!r}].replace({s['old']!r}, {s['new']!r})\n{BACK}"
    ),
    lambda t, s: (
        f"for cell in worksheet.findall({s['old']!r}, in_column=2):\n"
        f"    worksheet.update_cell(cell.row, cell.col, {s['new']!r})"
    ),
    lambda t, s: (
        f"cells = [c for c in worksheet.range('B2:B{t.last_row}') if c.value == {s['old']!r}]\n"
        f"for c in cells:\n    c.value = {s['new']!r}\nworksheet.update_cells(cells)"
    ),
]
ADD_ROW: list[Write] = [
    lambda t, s: f"values = {[s['name'], *pairs(s['cells']).values()]!r}\nworksheet.append_rows([values])",
    lambda t, s: (
        f"{READ}row = {{{key_of(t)!r}: {s['name']!r}, **{pairs(s['cells'])!r}}}\n"
        f"df = pd.concat([df, pd.DataFrame([row])], ignore_index=True)\n{BACK}"
    ),
    lambda t, s: (
        f"n = len(worksheet.get_all_values()) + 1\n"
        f"worksheet.update(f'A{{n}}', {[[s['name'], *pairs(s['cells']).values()]]!r})"
    ),
]
DELETE_ROWS: list[Write] = [
    lambda t, s: f"{READ}df = df[~df[{key_of(t)!r}].isin({names(s)!r})]\n{BACK}",
    lambda t, s: (
        f"for name in {names(s)!r}:\n    cell = worksheet.find(name)\n    worksheet.delete_rows(cell.row)"
    ),
]
SORT: list[Write] = [
    lambda t, s: f"{READ}{sorted_frame(s['column'], s['order'])}{BACK}",
    lambda t, s: (
        f"worksheet.sort(({t.column(s['column'])}, '{'des' if down(s['order']) else 'asc'}'), "
        f"range='A2:{width(t)}{t.last_row}')"
    ),
    lambda t, s: (
        f"{HELPERS}{RECORDS}at = header.index({s['column']!r})\n"
        f"key = (lambda row: row[at]) if at == 0 else (lambda row: number(row[at]))\n"
        f"body = sorted(body, key=key, reverse={down(s['order'])})\n{REWRITE}"
    ),
]
TOTAL: list[Write] = [
    lambda t, s: total(s["column"], s["measure"]),
    lambda t, s: formula_total(s["column"], s["measure"]),
    lambda t, s: READ + frame_total(s["column"], s["measure"]),
]
MERGE: list[Write] = [
    lambda t, s: f"worksheet.merge_cells({s['area']!r}, merge_type='MERGE_ALL')",
    lambda t, s: (
        f"a, b = {s['area']!r}.split(':')\n"
        "grid = {'sheetId': worksheet.id, 'startRowIndex': int(a[1:]) - 1, 'endRowIndex': int(b[1:]), "
        "'startColumnIndex': ord(a[0]) - 65, 'endColumnIndex': ord(b[0]) - 64}\n"
        "sheet.batch_update({'requests': [{'mergeCells': {'range': grid, 'mergeType': 'MERGE_ALL'}}]})"
    ),
]
KEEP_ROWS: list[Write] = [
    lambda t, s: f"{READ}df = df[{test_of(s)}]\n{BACK}",
    lambda t, s: f"{RECORDS}body = [row for row in body if {row_test(s)}]\n{REWRITE}",
    lambda t, s: (
        f"{RECORDS}for number, row in reversed(list(enumerate(body, start=2))):\n"
        f"    if not ({row_test(s)}):\n        worksheet.delete_rows(number)"
    ),
]
RAISE_VALUES: list[Write] = [
    lambda t, s: (
        f"{READ}df.loc[df[{s['group']!r}] == {s['member']!r}, {s['column']!r}] += {s['amount']}\n{BACK}"
    ),
    lambda t, s: (
        f"for i, record in enumerate(worksheet.get_all_records(), 2):\n"
        f"    if record[{s['group']!r}] == {s['member']!r}:\n"
        f"        worksheet.update_cell(i, {t.column(s['column'])}, record[{s['column']!r}] + {s['amount']})"
    ),
    lambda t, s: (
        f"{READ}df[{s['column']!r}] = df.apply(lambda r: r[{s['column']!r}] + {s['amount']} "
        f"if r[{s['group']!r}] == {s['member']!r} else r[{s['column']!r}], axis=1)\n{BACK}"
    ),
]
