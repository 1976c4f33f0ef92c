"""Right programs for goals that put something on a worksheet of its own."""

from __future__ import annotations

from stb_env.suites.sambanova.google_sheets.draws import MISSING
from tests.suites.sambanova.google_sheets.snippets import BACK, READ, RECORDS, REWRITE, Write

PIVOT: list[Write] = [
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
SUMMARY: list[Write] = [
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
SPLIT: list[Write] = [
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
