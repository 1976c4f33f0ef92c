r"""Tables as LaTeX, for the packages booktabs and graphicx."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stb_env.evaluation.tables import Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "…": r"\ldots{}",
    "±": r"$\pm$",
}
_NUMBER = re.compile(r"[-+$]?[\d,.]+(e[-+]?\d+)?%?( to [-+]?[\d.]+)?|-")


def escaped(text: str) -> str:
    r"""Return a text so that LaTeX prints it as it is; what it cannot print is left out.

    Examples:
        >>> print(escaped("50% of $x_1"))
        50\% of \$x\_1
    """
    line = " ".join(text.split())
    written = "".join(_SPECIAL.get(letter, letter) for letter in line if letter.isprintable())
    # Two hyphens would become a dash.
    return re.sub("-(?=-)", "-{}", written)


def is_number(cell: str) -> bool:
    """Return whether a cell of a table belongs to the right.

    Examples:
        >>> is_number("12.5%"), is_number("-3.0 to +4.5"), is_number("gold")
        (True, True, False)
    """
    return _NUMBER.fullmatch(cell) is not None


def numeric_columns(table: Table) -> list[bool]:
    """Return which columns of a table hold numbers alone."""
    return [all(is_number(row[place]) for row in table.rows) for place in range(len(table.columns))]


def latex(table: Table, label: str) -> str:
    r"""Return a table as a float of LaTeX.

    Args:
        table: The table.
        label: How texts refer to it.

    Examples:
        >>> print(latex(Table("Rates", ("agent", "rate"), (("gold", "100%"),)), "tab:rates"))
        \begin{table}
          \centering
          \caption{Rates.}
          \label{tab:rates}
          \begin{tabular}{lr}
            \toprule
            agent & rate \\
            \midrule
            gold & 100\% \\
            \bottomrule
          \end{tabular}
        \end{table}
    """
    caption = " ".join([f"{escaped(table.title)}.", *(escaped(note) for note in table.notes)])
    alignment = "".join("r" if numeric else "l" for numeric in numeric_columns(table))
    body = [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"  \toprule",
        f"  {_line(table.columns)}",
        r"  \midrule",
        *(f"  {_line(row)}" for row in table.rows),
        r"  \bottomrule",
        r"\end{tabular}",
    ]
    # Half a page has room for about so much.
    if (
        sum(max(len(row[place]) for row in (table.columns, *table.rows)) for place in range(len(alignment)))
        > 80
    ):
        body = [r"\resizebox{\linewidth}{!}{%", *body[:-1], rf"{body[-1]}}}"]
    lines = [r"\centering", rf"\caption{{{caption}}}", rf"\label{{{label}}}", *body]
    return "\n".join([r"\begin{table}", *(f"  {line}" for line in lines), r"\end{table}"])


def _line(cells: Sequence[str]) -> str:
    return " & ".join(escaped(cell) for cell in cells) + r" \\"
