"""Google Sheets: a spreadsheet in memory with gspread's methods, formulas, formats and data frames."""
