"""Programs that a careful player writes for each kind of goal.

Each is made from what the goal's text says, for whatever table; the players differ in library, in order and
in whether they write formulas or values.
"""

from __future__ import annotations

from stb_env.suites.sambanova.google_sheets.tables import MISSING
from tests.suites.sambanova.google_sheets.snippets import (
    BACK,
    HELPERS,
    READ,
    RECORDS,
    REWRITE,
    SIGN,
    Write,
    down,
    formula_total,
    frame_total,
    key_of,
    look,
    names,
    new_rows,
    number_word,
    pairs,
    row_test,
    sort_call,
    sorted_frame,
    test_of,
    total,
    width,
)

GOOD: dict[str, list[Write]] = {}
"""Programs that are right, by the kind of goal."""

GOOD["update_value"] = [
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
GOOD["replace_text"] = [
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
GOOD["add_row"] = [
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
GOOD["delete_rows"] = [
    lambda t, s: f"{READ}df = df[~df[{key_of(t)!r}].isin({names(s)!r})]\n{BACK}",
    lambda t, s: (
        f"for name in {names(s)!r}:\n    cell = worksheet.find(name)\n    worksheet.delete_rows(cell.row)"
    ),
]
GOOD["sort"] = [
    lambda t, s: f"{READ}{sorted_frame(s['column'], s['order'])}{BACK}",
    lambda t, s: sort_call(t, s),
    lambda t, s: (
        f"{HELPERS}{RECORDS}at = header.index({s['column']!r})\n"
        f"key = (lambda row: row[at]) if at == 0 else (lambda row: number(row[at]))\n"
        f"body = sorted(body, key=key, reverse={down(s['order'])})\n{REWRITE}"
    ),
]
GOOD["total"] = [
    lambda t, s: total(s["column"], s["measure"]),
    lambda t, s: formula_total(s["column"], s["measure"]),
    lambda t, s: READ + frame_total(s["column"], s["measure"]),
]
GOOD["merge"] = [
    lambda t, s: f"worksheet.merge_cells({s['area']!r}, merge_type='MERGE_ALL')",
    lambda t, s: (
        f"a, b = {s['area']!r}.split(':')\n"
        "grid = {'sheetId': worksheet.id, 'startRowIndex': int(a[1:]) - 1, 'endRowIndex': int(b[1:]), "
        "'startColumnIndex': ord(a[0]) - 65, 'endColumnIndex': ord(b[0]) - 64}\n"
        "sheet.batch_update({'requests': [{'mergeCells': {'range': grid, 'mergeType': 'MERGE_ALL'}}]})"
    ),
]
GOOD["keep_rows"] = [
    lambda t, s: f"{READ}df = df[{test_of(s)}]\n{BACK}",
    lambda t, s: f"{RECORDS}body = [row for row in body if {row_test(s)}]\n{REWRITE}",
    lambda t, s: (
        f"{RECORDS}for number, row in reversed(list(enumerate(body, start=2))):\n"
        f"    if not ({row_test(s)}):\n        worksheet.delete_rows(number)"
    ),
]
GOOD["raise_values"] = [
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
GOOD["filter_total"] = [
    lambda t, s: f"{READ}df = df[{test_of(s)}]\n{BACK}{frame_total(s['total'], s['measure'])}",
    lambda t, s: GOOD["keep_rows"][2](t, s) + "\n" + formula_total(s["total"], s["measure"]),
]
GOOD["computed_sort"] = [
    lambda t, s: (
        f"{READ}df[{s['title']!r}] = df[{s['left']!r}] {SIGN[s['sign']]} df[{s['right']!r}]\n"
        f"{sorted_frame(s['title'], s['order'])}{BACK}worksheet.freeze(rows=1)"
    ),
    lambda t, s: (
        f"worksheet.freeze(1)\n{RECORDS}a, b = header.index({s['left']!r}), header.index({s['right']!r})\n"
        f"n = len(header) + 1\nworksheet.update_cell(1, n, {s['title']!r})\n"
        f"for i, row in enumerate(body, 2):\n"
        f"    worksheet.update_cell(i, n, float(row[a]) {SIGN[s['sign']]} float(row[b]))\n"
        f"worksheet.sort((n, '{'des' if down(s['order']) else 'asc'}'))"
    ),
]
GOOD["clean_total"] = [
    lambda t, s: (
        f"{READ}df = df.drop_duplicates().dropna(subset=[{s['column']!r}])\n"
        f"{BACK}{frame_total(s['column'], s['measure'])}"
    ),
    lambda t, s: (
        f"{RECORDS}kept = []\nfor row in body:\n    if row not in kept and {MISSING!r} not in row:\n"
        f"        kept.append(row)\nbody = kept\n{REWRITE}{total(s['column'], s['measure'])}"
    ),
    lambda t, s: (
        f"seen = set()\n{RECORDS}drop = []\nfor i, row in enumerate(body, 2):\n    key = tuple(row)\n"
        f"    if key in seen or {MISSING!r} in key:\n        drop.append(i)\n    seen.add(key)\n"
        f"for i in sorted(drop, reverse=True):\n    worksheet.delete_rows(i)\n"
        f"{formula_total(s['column'], s['measure'])}"
    ),
]
GOOD["subtotals"] = [
    lambda t, s: (
        f"{READ}df['Subtotal'] = df.groupby({s['group']!r})[{s['column']!r}].transform('sum')\n"
        f"{sorted_frame(s['column'], s['bound'])}{BACK}worksheet.freeze(rows=1)"
    ),
    lambda t, s: (
        f"sums = {{}}\nrecords = worksheet.get_all_records()\nfor r in records:\n"
        f"    sums[r[{s['group']!r}]] = sums.get(r[{s['group']!r}], 0) + r[{s['column']!r}]\n"
        f"records.sort(key=lambda r: r[{s['column']!r}], reverse={down(s['bound'])})\n"
        f"rows = [[*r.values(), sums[r[{s['group']!r}]]] for r in records]\n"
        f"worksheet.update('A1', [[*records[0].keys(), 'Subtotal'], *rows])\nworksheet.freeze(rows=1)"
    ),
]
GOOD["extremes"] = [
    lambda t, s: (
        f"{READ}{sorted_frame(s['key'], s['order'])}{BACK}"
        f"high = df.loc[df[{s['column']!r}].idxmax()]\nlow = df.loc[df[{s['column']!r}].idxmin()]\n"
        f"rows = [[x[{s['key']!r}], x[{s['column']!r}]] for x in (high, low)]\n"
        f"worksheet.update('A{s['high']}:B{s['low']}', rows)"
    ),
    lambda t, s: (
        f"records = worksheet.get_all_records()\nbest = max(records, key=lambda r: r[{s['column']!r}])\n"
        f"worst, *_ = sorted(records, key=lambda r: r[{s['column']!r}])\n"
        f"worksheet.update_acell('A{s['high']}', best[{s['key']!r}])\n"
        f"worksheet.update_acell('B{s['high']}', best[{s['column']!r}])\n"
        f"worksheet.update_acell('A{s['low']}', worst[{s['key']!r}])\n"
        f"worksheet.update_acell('B{s['low']}', worst[{s['column']!r}])\n"
        f"worksheet.sort((1, '{'des' if down(s['order']) else 'asc'}'), range='A2:{width(t)}{t.last_row}')"
    ),
]
GOOD["move_column"] = [
    lambda t, s: (
        f"{READ}df = df[[c for c in df.columns if c != {s['column']!r}] + [{s['column']!r}]]\n"
        f"df = df.rename(columns={{{s['last']!r}: {s['new']!r}}})\n{BACK}"
    ),
    lambda t, s: (
        f"{RECORDS}at = header.index({s['column']!r})\nrows = [r[:at] + r[at + 1:] + [r[at]] for r in rows]\n"
        f"header, *body = rows\nheader[header.index({s['last']!r})] = {s['new']!r}\n{REWRITE}"
    ),
    lambda t, s: (
        "df = get_as_dataframe(worksheet, evaluate_formulas=True)\n"
        "df = df.dropna(axis=1, how='all').dropna(how='all')\n"
        f"moved = df.pop({s['column']!r})\ndf[{s['column']!r}] = moved\n"
        f"df.columns = [{s['new']!r} if c == {s['last']!r} else c for c in df.columns]\n"
        "set_with_dataframe(worksheet, df)"
    ),
]
GOOD["tidy"] = [
    lambda t, s: (
        f"{READ}df = df.drop(columns=[{s['dropped']!r}]).rename(columns={{{s['column']!r}: {s['new']!r}}})\n"
        f"{sorted_frame(s['new'], s['order'])}{BACK}"
    ),
    lambda t, s: (
        f"worksheet.update_cell(1, {t.column(s['column'])}, {s['new']!r})\n"
        f"{sort_call(t, s)}\nworksheet.delete_columns({t.column(s['dropped'])})"
    ),
]
GOOD["top_rows"] = [
    lambda t, s: (
        f"{READ}df = {sorted_frame(s['column'], s['bound'])[5:].strip()}.head({number_word(s['count'])})\n"
        f"{BACK}{frame_total(s['total'], s['measure'])}"
    ),
    lambda t, s: (
        f"{READ}n, c = {number_word(s['count'])}, {s['column']!r}\n"
        f"df = df.n{'largest' if down(s['bound']) else 'smallest'}(n, c)\n"
        f"worksheet.clear()\nset_with_dataframe(worksheet, df, include_index=False, resize=False)\n"
        f"{formula_total(s['total'], s['measure'])}"
    ),
]
GOOD["transfer"] = [
    lambda t, s: (
        f"{READ}df.loc[df[{key_of(t)!r}] == {s['giver']!r}, {s['column']!r}] -= {s['amount']}\n"
        f"df.loc[df[{key_of(t)!r}] == {s['taker']!r}, {s['column']!r}] += {s['amount']}\n"
        f"set_with_dataframe(worksheet, df)\n{frame_total(s['column'], s['measure'])}"
    ),
    lambda t, s: (
        f"for name, change in (({s['giver']!r}, -{s['amount']}), ({s['taker']!r}, {s['amount']})):\n"
        "    row = worksheet.find(name).row\n"
        f"    old = float(worksheet.cell(row, {t.column(s['column'])}).value)\n"
        f"    worksheet.update_cell(row, {t.column(s['column'])}, old + change)\n"
        f"{total(s['column'], s['measure'])}"
    ),
]
GOOD["restock"] = [
    lambda t, s: (
        f"{READ}new = pd.DataFrame({new_rows(s)!r}, columns=df.columns)\n"
        f"df = pd.concat([df, new], ignore_index=True)\n{sorted_frame(s['column'], s['order'])}"
        f"{BACK}{frame_total(s['total'], s['measure'])}"
    ),
    lambda t, s: (
        f"worksheet.append_rows({new_rows(s)!r})\n{sort_call(t, s, 2)}\n{total(s['total'], s['measure'])}"
    ),
]
GOOD["report"] = [
    lambda t, s: (
        f"{READ}df[{s['title']!r}] = df[{s['left']!r}] {SIGN[s['sign']]} df[{s['right']!r}]\n"
        f"{sorted_frame(s['title'], s['order'])}{BACK}{frame_total(s['title'], 'sum')}"
        f"worksheet.format('1:1', {look(s['look'])})\nworksheet.freeze(rows=1)"
    ),
    lambda t, s: (
        f"worksheet.format('A1:{chr(65 + len(t.header))}1', {look(s['look'])})\n"
        f"{GOOD['computed_sort'][1](t, s)}\n{formula_total(s['title'], 'sum')}"
    ),
]
GOOD["flags"] = [
    lambda t, s: (
        f"{READ}mark = lambda x: 'high' if x > {s['bound']} else 'low'\n"
        f"df['Level'] = df[{s['column']!r}].apply(mark)\n{BACK}"
        f"count = int((df['Level'] == 'high').sum())\n"
        f"worksheet.update_cell(len(df) + 2, {len(t.header) + 1}, count)\n"
        f"worksheet.format('{chr(65 + len(t.header))}1', {look(s['look'])})"
    ),
    lambda t, s: (
        f"{READ}df['Level'] = np.where(df[{s['column']!r}] > {s['bound']}, 'high', 'low')\n{BACK}"
        f"worksheet.update('{chr(65 + len(t.header))}{t.last_row + 1}', df['Level'].value_counts()['high'])\n"
        f"worksheet.format('{chr(65 + len(t.header))}1', {look(s['look'])})"
    ),
]
GOOD["heading"] = [
    lambda t, s: (
        f"worksheet.insert_rows([[{s['text']!r}]], 1)\nworksheet.format('A1:{s['end']}', {look(s['look'])})\n"
        f"worksheet.merge_cells('A1:{s['end']}')\nworksheet.freeze(rows=2)"
    ),
    lambda t, s: (
        f"worksheet.insert_row([{s['text']!r}], 1)\nworksheet.merge_cells('A1:{s['end']}', 'MERGE_ROWS')\n"
        f"worksheet.format('A1', {look(s['look'])})\nworksheet.freeze(2)"
    ),
]
GOOD["insert_ordered"] = [
    lambda t, s: (
        f"{READ}df.loc[len(df)] = {[s['name'], *pairs(s['cells']).values()]!r}\n"
        f"{sorted_frame(s['column'], s['order'])}{BACK}{frame_total(s['total'], s['measure'])}"
    ),
    lambda t, s: (
        f"worksheet.append_row({[s['name'], *pairs(s['cells']).values()]!r})\n"
        f"{sort_call(t, s, 1)}\n{formula_total(s['total'], s['measure'])}"
    ),
]
GOOD["raise_total"] = [
    lambda t, s: (
        f"{READ}mask = df[{s['group']!r}].eq({s['member']!r})\n"
        f"df.loc[mask, {s['column']!r}] += {s['amount']}\n"
        f"df = df.sort_values({s['column']!r}, ascending={not down(s['order'])}).reset_index(drop=True)\n"
        f"{BACK}{frame_total(s['column'], 'sum')}"
    ),
    lambda t, s: f"{GOOD['raise_values'][1](t, s)}\n{sort_call(t, s)}\n{formula_total(s['column'], 'sum')}",
]
GOOD["header_total"] = [
    lambda t, s: (
        f"{total(s['total'], s['measure'])}"
        "worksheet.format(chr(64 + col) + str(len(values) + 2), {'textFormat': {'bold': True}})\n"
        f"worksheet.format('A1:{width(t)}1', {look(s['look'])})\nworksheet.freeze(rows=1)"
    ),
    lambda t, s: (
        f"{formula_total(s['total'], s['measure'])}worksheet.batch_format(["
        f"{{'range': '1:1', 'format': {look(s['look'])}}}, "
        "{'range': f'{letter}{last + 1}', 'format': {'textFormat': {'bold': True}}}])\nworksheet.freeze(1)"
    ),
]
GOOD["pivot"] = [
    lambda t, s: (
        f"{READ}pivot = df.pivot_table(index={s['group']!r}, values={s['column']!r}, aggfunc='sum')\n"
        "new = sheet.add_worksheet(title='Pivot table', rows=50, cols=10)\n"
        "set_with_dataframe(new, pivot, include_index=True)"
    ),
    lambda t, s: (
        f"{READ}pivot = pd.pivot_table(df, values=[{s['column']!r}], index=[{s['group']!r}], aggfunc=np.sum, "
        "margins=True, margins_name='Grand Total')\n"
        "new = sheet.add_worksheet('Pivot', 50, 10, index=1)\n"
        "set_with_dataframe(new, pivot.reset_index(), row=3, col=2)"
    ),
    lambda t, s: (
        f"{READ}sums = df.groupby({s['group']!r}, as_index=False)[{s['column']!r}].sum()\n"
        f"sums = sums.sort_values({s['column']!r}, ascending=False)\n"
        "new = sheet.add_worksheet('By group', rows=20, cols=2)\nset_with_dataframe(new, sums)"
    ),
    lambda t, s: (
        "new = sheet.add_worksheet('P', 100, 20)\n"
        f"group = worksheet.find({s['group']!r}).col - 1\nvalue = worksheet.find({s['column']!r}).col - 1\n"
        "rows = len(worksheet.get_all_values())\ncols = len(worksheet.row_values(1))\n"
        "sheet.batch_update({'requests': [{'updateCells': {'rows': [{'values': [{'pivotTable': {"
        "'source': {'sheetId': worksheet.id, 'startRowIndex': 0, 'endRowIndex': rows, 'startColumnIndex': 0, "
        "'endColumnIndex': cols}, 'rows': [{'sourceColumnOffset': group, 'showTotals': True, "
        "'sortOrder': 'DESCENDING'}], 'values': [{'sourceColumnOffset': value, 'summarizeFunction': 'SUM', "
        "'name': 'Total'}]}}]}], 'start': {'sheetId': new.id, 'rowIndex': 0, 'columnIndex': 0}, "
        "'fields': 'pivotTable'}}]})"
    ),
    lambda t, s: (
        f"groups = sorted(set(worksheet.col_values(2)[1:]))\nnew = sheet.add_worksheet('P', 100, 20)\n"
        f"c = {t.letter(s['column'])!r}\n"
        f"rows = [[{s['group']!r}, 'Sum']] + [[g, f'=SUMIF(sheet_1!$B$2:$B,A{{i}},sheet_1!${{c}}$2:${{c}})'] "
        "for i, g in enumerate(groups, 2)]\nnew.update('A1', rows, raw=False)"
    ),
]
GOOD["summary"] = [
    lambda t, s: (
        f"{READ}df = df.dropna(subset=[{s['column']!r}])\n{BACK}"
        f"out = df.groupby({s['group']!r})[{s['column']!r}].agg(['count', 'sum']).reset_index()\n"
        "new = sheet.add_worksheet('Summary', 20, 5)\nset_with_dataframe(new, out)"
    ),
    lambda t, s: (
        f"{RECORDS}at = header.index({s['column']!r})\n"
        f"body = [r for r in body if r[at] != {MISSING!r}]\n{REWRITE}"
        "counts, sums = {}, {}\nfor r in body:\n    counts[r[1]] = counts.get(r[1], 0) + 1\n"
        "    sums[r[1]] = sums.get(r[1], 0.0) + float(r[at])\n"
        "new = sheet.add_worksheet('S', 20, 5)\n"
        "new.update('A1', [[g, counts[g], sums[g]] for g in sorted(counts)])"
    ),
]
GOOD["split"] = [
    lambda t, s: (
        f"{READ}part = df[df[{s['group']!r}] == {s['member']!r}]\n"
        f"df = df[df[{s['group']!r}] != {s['member']!r}]\n"
        f"{BACK}new = sheet.add_worksheet('Part', 100, 26, 0)\nset_with_dataframe(new, part)"
    ),
    lambda t, s: (
        f"new = sheet.add_worksheet({s['member']!r}, 10, 10)\nnew.append_row(worksheet.row_values(1))\n"
        f"hits = worksheet.findall({s['member']!r}, in_column=2)\n"
        "for hit in hits:\n"
        "    new.append_row(worksheet.row_values(hit.row), value_input_option='USER_ENTERED')\n"
        "for hit in hits[::-1]:\n    worksheet.delete_rows(hit.row)"
    ),
]
