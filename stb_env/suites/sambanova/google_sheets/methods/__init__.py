"""gspread's methods, each a function on a worksheet or a spreadsheet with its documentation."""
