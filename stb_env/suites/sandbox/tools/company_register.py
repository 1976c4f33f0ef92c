"""Company Register: who companies are and what they report."""

from __future__ import annotations

from stb_env.suites.sandbox.content.companies import SECTORS, YEARS, accounts, companies
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search, where
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Finance", "Company Register", "Facts and accounts of companies.")
_COMPANY = text("company_id", "Id from Search Companies.", "company-001")


@TOOL.lookup("Search Companies", text("name", "Part of the name, in any case.", "er"), PAGE)
def search_companies(name: str, page: int) -> Response:
    """Find companies by part of their name; returns ids and names."""
    rows = search(companies().values(), "name", name)
    return page_of(columns(rows, "company_id", "name"), page)


@TOOL.lookup("Company Profile", _COMPANY)
def company_profile(company_id: str) -> Response:
    """Sector, founding year, chief executive, headquarters, staff, shares and stock symbol of one company."""
    row = found(companies().get(company_id), "company", company_id)
    hidden = ("usual_revenue_million", "base_price", "splits")
    return {key: value for key, value in row.items() if key not in hidden}


@TOOL.lookup("Annual Accounts", _COMPANY, whole("year", "Business year.", YEARS[-1], YEARS[0], YEARS[-1]))
def annual_accounts(company_id: str, year: int) -> Response:
    """Revenue and profit (negative: loss) of one company in one year, in millions of aurel."""
    found(companies().get(company_id), "company", company_id)
    return dict(accounts()[company_id, year])


@TOOL.lookup("Companies Of Sector", choice("sector", "The sector.", SECTORS), PAGE)
def companies_of_sector(sector: str, page: int) -> Response:
    """List the companies of a sector with their staff, the largest first."""
    rows = sorted(companies().values(), key=lambda row: (-row["employees"], row["company_id"]))
    return page_of(columns(where(rows, sector=sector), "company_id", "name", "employees"), page)
