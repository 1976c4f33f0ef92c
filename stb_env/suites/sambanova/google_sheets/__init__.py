"""Google Sheets: a spreadsheet in memory with gspread's methods, formulas, formats and data frames.

Spreadsheets are immutable values (`sheet`). A `session.Session` holds the current one while a call or a
program changes it, and `methods` has what gspread offers on it. Whatever the service or the interpreter would
refuse raises `CrashError`, which the agent reads as an observation; a formula without a value raises
`ProblemError`, which becomes the error in its cell.
"""
