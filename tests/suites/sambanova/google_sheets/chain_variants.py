"""Right programs for goals of several changes."""

from __future__ import annotations

from stb_env.suites.sambanova.google_sheets.draws import MISSING
from tests.suites.sambanova.google_sheets.change_variants import KEEP_ROWS, RAISE_VALUES
from tests.suites.sambanova.google_sheets.snippets import (
    BACK,
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
    new_rows,
    number_word,
    pairs,
    sorted_frame,
    test_of,
    total,
    width,
)

FILTER_TOTAL: list[Write] = [
    lambda t, s: f"{READ}df = df[{test_of(s)}]\n{BACK}{frame_total(s['total'], s['measure'])}",
    lambda t, s: KEEP_ROWS[2](t, s) + "\n" + formula_total(s["total"], s["measure"]),
]
COMPUTED_SORT: list[Write] = [
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
CLEAN_TOTAL: list[Write] = [
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
SUBTOTALS: list[Write] = [
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
EXTREMES: list[Write] = [
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
MOVE_COLUMN: list[Write] = [
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
TIDY: list[Write] = [
    lambda t, s: (
        f"{READ}df = df.drop(columns=[{s['dropped']!r}]).rename(columns={{{s['column']!r}: {s['new']!r}}})\n"
        f"{sorted_frame(s['new'], s['order'])}{BACK}"
    ),
    lambda t, s: (
        f"worksheet.update_cell(1, {t.column(s['column'])}, {s['new']!r})\n"
        f"worksheet.sort(({t.column(s['column'])}, '{'des' if down(s['order']) else 'asc'}'), "
        f"range='A2:{width(t)}{t.last_row}')\nworksheet.delete_columns({t.column(s['dropped'])})"
    ),
]
TOP_ROWS: list[Write] = [
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
TRANSFER: list[Write] = [
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
RESTOCK: list[Write] = [
    lambda t, s: (
        f"{READ}new = pd.DataFrame({new_rows(s)!r}, columns=df.columns)\n"
        f"df = pd.concat([df, new], ignore_index=True)\n{sorted_frame(s['column'], s['order'])}"
        f"{BACK}{frame_total(s['total'], s['measure'])}"
    ),
    lambda t, s: (
        f"worksheet.append_rows({new_rows(s)!r})\n"
        f"worksheet.sort(({t.column(s['column'])}, '{'des' if down(s['order']) else 'asc'}'), "
        f"range='A2:{width(t)}{t.last_row + 2}')\n{total(s['total'], s['measure'])}"
    ),
]
REPORT: list[Write] = [
    lambda t, s: (
        f"{READ}df[{s['title']!r}] = df[{s['left']!r}] {SIGN[s['sign']]} df[{s['right']!r}]\n"
        f"{sorted_frame(s['title'], s['order'])}{BACK}{frame_total(s['title'], 'sum')}"
        f"worksheet.format('1:1', {look(s['look'])})\nworksheet.freeze(rows=1)"
    ),
    lambda t, s: (
        f"worksheet.format('A1:{chr(65 + len(t.header))}1', {look(s['look'])})\n"
        f"{COMPUTED_SORT[1](t, s)}\n{formula_total(s['title'], 'sum')}"
    ),
]
FLAGS: list[Write] = [
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
HEADING: list[Write] = [
    lambda t, s: (
        f"worksheet.insert_rows([[{s['text']!r}]], 1)\nworksheet.format('A1:{s['end']}', {look(s['look'])})\n"
        f"worksheet.merge_cells('A1:{s['end']}')\nworksheet.freeze(rows=2)"
    ),
    lambda t, s: (
        f"worksheet.insert_row([{s['text']!r}], 1)\nworksheet.merge_cells('A1:{s['end']}', 'MERGE_ROWS')\n"
        f"worksheet.format('A1', {look(s['look'])})\nworksheet.freeze(2)"
    ),
]
INSERT_ORDERED: list[Write] = [
    lambda t, s: (
        f"{READ}df.loc[len(df)] = {[s['name'], *pairs(s['cells']).values()]!r}\n"
        f"{sorted_frame(s['column'], s['order'])}{BACK}{frame_total(s['total'], s['measure'])}"
    ),
    lambda t, s: (
        f"worksheet.append_row({[s['name'], *pairs(s['cells']).values()]!r})\n"
        f"worksheet.sort(({t.column(s['column'])}, '{'des' if down(s['order']) else 'asc'}'), "
        f"range='A2:{width(t)}{t.last_row + 1}')\n{formula_total(s['total'], s['measure'])}"
    ),
]
RAISE_TOTAL: list[Write] = [
    lambda t, s: (
        f"{READ}mask = df[{s['group']!r}].eq({s['member']!r})\n"
        f"df.loc[mask, {s['column']!r}] += {s['amount']}\n"
        f"df = df.sort_values({s['column']!r}, ascending={not down(s['order'])}).reset_index(drop=True)\n"
        f"{BACK}{frame_total(s['column'], 'sum')}"
    ),
    lambda t, s: (
        f"{RAISE_VALUES[1](t, s)}\n"
        f"worksheet.sort(({t.column(s['column'])}, '{'des' if down(s['order']) else 'asc'}'), "
        f"range='A2:{width(t)}{t.last_row}')\n{formula_total(s['column'], 'sum')}"
    ),
]
HEADER_TOTAL: list[Write] = [
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
