" Colours for descriptions of Pavior (*.pav), made by tools/editors/make.
if exists("b:current_syntax")
    finish
endif
syntax match pavNumber "\<\d\+\%(\.\d*\)\?\%([eE][-+]\?\d\+\)\?\|\.\d\+\%([eE][-+]\?\d\+\)\?"
syntax match pavFunction "\<\%(abs\|sqrt\|exp\|log\|log10\|sin\|cos\|tan\|asin\|acos\|atan\|atan2\|sinh\|cosh\|tanh\|cbrt\|erf\|sinc\|hypot\|mod\|bitand\|bitor\|bitxor\|shl\|shr\|min\|max\|where\|floor\|ceil\|round\|sign\|random\|ricker\|laplace\|dx\|dy\|dz\|dxx\|dyy\|dzz\|dxy\|dxz\|dyz\|prev\|sum\|norm\|integral\|restrict\|interpolate\|scan\|tridiagonal\|pow\|grad\|dot\|div\|curl\|re\|im\|conj\|arg\)\ze("
syntax keyword pavType f32 f64 bf16 f16 u8
syntax keyword pavOperator and or not
syntax keyword pavStatement grid real param scalar let field stencil border absorb mask inject sample measure until steps output checkpoint expect solve chaotic mesh
syntax keyword pavWord x y z from to spacing at down stored flushed below coarse along every time once into slice crop stride range colours contours arrows streamlines size by for cells strength insulated beyond complex periodic neumann mirror odd antimirror clamp linear sinc raw little big order count receivers sources of centre face edge corner box
syntax region pavString start=+"+ end=+"+ oneline
syntax match pavComment "#.*$" contains=@Spell
highlight default link pavNumber Number
highlight default link pavFunction Function
highlight default link pavType Type
highlight default link pavOperator Operator
highlight default link pavStatement Statement
highlight default link pavWord Identifier
highlight default link pavString String
highlight default link pavComment Comment
let b:current_syntax = "pavior"
