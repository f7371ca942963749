# SPDX-License-Identifier: BSD-3-Clause
"""Colours for descriptions: a lexer for Pygments (Sphinx, MkDocs, Jupyter), under the names `pav` and `pavior`."""

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

__all__ = ["PaviorLexer"]

STATEMENTS = (
    "grid real param scalar let field stencil border absorb mask inject sample measure until steps output "
    "checkpoint expect solve chaotic mesh"
).split()
WORDS = (
    "x y z from to spacing at down stored flushed below coarse along every time once into slice crop stride range colours contours arrows streamlines size "
    "by for cells strength insulated beyond complex periodic neumann mirror odd antimirror clamp linear sinc raw little big order count receivers sources of "
    "centre face edge corner box"
).split()
FUNCTIONS = (
    "abs sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh cbrt erf sinc hypot mod bitand bitor bitxor shl shr min max where floor "
    "ceil round sign random ricker laplace dx dy dz dxx dyy dzz dxy dxz dyz prev sum norm integral restrict interpolate scan tridiagonal "
    "pow grad dot div curl re im conj arg"
).split()


class PaviorLexer(RegexLexer):
    name = "Pavior"
    aliases = ["pav", "pavior"]
    filenames = ["*.pav"]
    tokens = {
        "root": [
            (r"#.*$", Comment.Single),
            (r'"[^"\n]*"', String),
            (words(STATEMENTS, prefix=r"(?m)(?<![\w'])", suffix=r"(?![\w'(])"), Keyword),
            (words(("f32", "f64", "bf16", "f16", "u8"), prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (words(("and", "or", "not"), prefix=r"\b", suffix=r"\b"), Operator.Word),
            (words(FUNCTIONS, prefix=r"\b", suffix=r"(?=\()"), Name.Builtin),
            (words(WORDS, prefix=r"\b", suffix=r"\b"), Keyword.Pseudo),
            (r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", Number),
            (r"[A-Za-z_]\w*", Name),
            (r"[-+*/%^<>=!']+", Operator),
            (r"[\[\](),;:|]", Punctuation),
            (r"\s+", Text),
            (r".", Text),
        ]
    }
