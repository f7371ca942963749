# SPDX-License-Identifier: BSD-3-Clause
# Programs for cut grids, out of core or in subdomains: two dimensions with sources and receivers ($wave_rows rows, 60
# by default), a periodic axis, and heat.
cat >wave.pav <<END2
grid x 33, y ${wave_rows:-60}
field u = exp(-((x-16)^2 + (y-10)^2)/9); v
u' = 2*u - prev(u) + 0.1*laplace(u, order 4) + 0.01*u[1,1]*u[-1,-1]
v' = v + u'[1,0] - u'[-1,0]
border periodic at x-, x+
border u = sin(t) at y-; border neumann u at y+; border mirror v at y-, y+
inject sin(t + 1) into u at (16.3, 9.7), (10.5, 9.5)
sample u, u + u[1,0] at (15.5, 9.5), (3, 3) every 1 into "s.npy"
measure m = sum(u*v) every 5 into "m.csv"
steps 20
output u every 10 into "u.npy"
output v into "v.npy"
END2
cat >ring.pav <<'END2'
grid x 12, y 9, z 64
field u = sin(x)*cos(0.3*z) + y; v = z; w = 1 + 0.1*sin(z)
u' = u + w*0.1*laplace(u) + 0.001*sin(z)
v' = v + 0.1*laplace(v) + 0.01*u'[0,0,1]
border periodic u at x-, x+, y-, y+, z-, z+
border v = 0.5 at z-; border neumann v at z+; border neumann v at x-, x+, y-, y+
steps 13
output u into "u.npy"; output v into "v.npy"
END2
cat >heat.pav <<'END2'
grid x 30, y 20, z 64
field u = sin(x)*z
u' = u + 0.1*laplace(u)
border u = 0
steps 20
output u into "u.npy"
END2
