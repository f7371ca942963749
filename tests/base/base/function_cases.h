/* SPDX-License-Identifier: BSD-3-Clause */
/* Results to 66 bits. Made by tools/functions. */
/* clang-format off */
<<<<<<< HEAD
CASE(sin, 0x1.6ac5b262ca1ffp+849, 0x0.0p+0, 0x1.p+0,
     -0x1.2b089ea1e692bp-123)
CASE(sin, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.9e9cbbfd6080bp-31,
     -0x1.6a83ab58ed0d4p-94)
CASE(sin, 0x1.62a88613629b6p+678, 0x0.0p+0, -0x1.85db4a70a3364p-2,
     0x1.185ce432c938ep-56)
CASE(sin, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.dfffffffff02ep-20,
     0x1.dcba692492527p-146)
CASE(sin, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.p+0,
     -0x1.377ce858a5d48p-109)
CASE(sin, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.1a62633145c07p-53,
     -0x1.f1976b7ed8fbdp-109)
CASE(sin, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, -0x1.p+0,
     0x1.5e6c8563ba8f1p-106)
CASE(sin, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.6a09e667f3bccp-1,
     0x1.7a7fb8d4bd43fp-55)
CASE(sin, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.f9bc75444858ap-1,
     0x1.bb93bfc46f99fp-56)
CASE(sin, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.f9bc75444858bp-1,
     -0x1.e2d6b7b581279p-55)
CASE(sin, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.4c9d367f3eacep-1,
     -0x1.3cc220cbf3ccfp-63)
CASE(sin, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.5bd451fe0fa0dp-2,
     0x1.bc2c1ebbbfdc8p-56)
CASE(sin, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.5bd451fe0fa0ep-2,
     0x1.7f4996ec406a4p-56)
CASE(sin, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.9c2120ce8a147p-2,
     -0x1.0d29a9f2449eep-56)
CASE(sin, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.9c2120ce8a146p-2,
     -0x1.6d21ed8e6c324p-57)
CASE(sin, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.eaee8744b05efp-2,
     0x1.f342e42244c16p-60)
CASE(sin, 0x1.p-1, 0x0.0p+0, 0x1.eaee8744b05f0p-2,
     -0x1.789b43c9b027dp-58)
CASE(sin, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.eaee8744b05f2p-2,
     -0x1.58dccf5b8cb62p-56)
CASE(sin, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.aed548f090cedp-1,
     0x1.e71e72fde4110p-55)
CASE(sin, 0x1.p+0, 0x0.0p+0, 0x1.aed548f090ceep-1,
     0x1.06374f484e288p-59)
CASE(sin, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.aed548f090cefp-1,
     0x1.8bb5e3871a14ep-57)
CASE(sin, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.feb7a9b2c6d8bp-1,
     -0x1.0c8f40129a886p-56)
CASE(sin, 0x1.p+1, 0x0.0p+0, 0x1.d18f6ead1b446p-1,
     -0x1.02a3dbf3bffb2p-56)
CASE(sin, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.326af0dcfcab1p-1,
     -0x1.fd42734161659p-55)
CASE(sin, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.210386db6d55bp-3,
     0x1.3c7205d08d063p-57)
CASE(sin, 0x1.9000000000000p+6, 0x0.0p+0, -0x1.03425b78c4db8p-1,
     -0x1.c23d8557420fbp-59)
CASE(sin, 0x1.fffffffffffffp+29, 0x0.0p+0, -0x1.3c12385cbf55dp-1,
     0x1.1a27405218f1bp-59)
CASE(sin, 0x1.p+30, 0x0.0p+0, -0x1.3c12353728cafp-1,
     -0x1.676e91037983ep-55)
CASE(sin, 0x1.0000000000001p+30, 0x0.0p+0, -0x1.3c122eebfba67p-1,
     -0x1.17a0d986fe7bcp-58)
CASE(sin, 0x1.0f0cf064dd592p+73, 0x0.0p+0, -0x1.b453ab76bf397p-1,
     -0x1.f453790772648p-58)
CASE(sin, 0x1.p-27, 0x0.0p+0, 0x1.p-27,
     -0x1.5555555555555p-84)
CASE(sin, 0x1.p-60, 0x0.0p+0, 0x1.p-60,
     -0x1.5555555555555p-183)
CASE(sin, 0x1.p-500, 0x0.0p+0, 0x1.p-500,
     -0x0.0p+0)
CASE(sin, 0x1.fffffffffffffp+1023, 0x0.0p+0, 0x1.452fc98b34e97p-8,
     -0x1.27bb193d960dfp-62)
CASE(sin, 0x1.5000000000000p+3, 0x0.0p+0, -0x1.c2677b8f04315p-1,
     -0x1.f44e24e38bb6fp-55)
CASE(sin, 0x1.6000000000000p+4, 0x0.0p+0, -0x1.220a29f6eb9f4p-7,
     0x1.504b8bc40d505p-62)
CASE(sin, 0x1.7ffff00000000p+2, 0x0.0p+0, -0x1.1e200e78b986dp-2,
     0x1.a5c086155928ap-56)
CASE(sin, 0x1.6200000000000p+9, 0x0.0p+0, -0x1.d192b87763e1fp-1,
     0x1.15f2cdd704b81p-55)
CASE(sin, 0x1.7400000000000p+9, 0x0.0p+0, 0x1.0edd385d0d316p-1,
     -0x1.c12d388c351cfp-55)
CASE(cos, 0x1.6ac5b262ca1ffp+849, 0x0.0p+0, -0x1.14ae72e6ba22fp-61,
     0x1.73eef1477d90ep-118)
CASE(cos, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.p+0,
     -0x1.4fbfa7fe957d0p-62)
CASE(cos, 0x1.62a88613629b6p+678, 0x0.0p+0, -0x1.d9710d4684b9dp-1,
     -0x1.ec6e6d2e464fcp-55)
CASE(cos, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.fffffffffc7c0p-1,
     0x1.3c6800000037ap-82)
CASE(cos, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.1a62633145c07p-54,
     -0x1.f1976b7ed8fbcp-110)
CASE(cos, 0x1.921fb54442d18p+1, 0x0.0p+0, -0x1.p+0,
     0x1.377ce858a5d48p-107)
CASE(cos, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, -0x1.a79394c9e8a0ap-53,
     -0x1.456737b06ea19p-107)
CASE(cos, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.6a09e667f3bcdp-1,
     -0x1.ec4c7696139d5p-56)
CASE(cos, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.3f5f6868470bbp-3,
     0x1.db6cd036dfad4p-58)
CASE(cos, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.3f5f6868470b3p-3,
     0x1.51ef13d6ea4c4p-57)
CASE(cos, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.853ec7a2cd121p-1,
     0x1.7244d31ce484cp-55)
CASE(cos, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.e18ebc184046ep-1,
     0x1.129b4d93159aep-55)
CASE(cos, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.e18ebc184046ep-1,
     0x1.92c492503729dp-57)
CASE(cos, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.d4b3a66a78bd2p-1,
     0x1.42f4171696a43p-58)
CASE(cos, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.d4b3a66a78bd2p-1,
     0x1.ecde26942fbd7p-56)
CASE(cos, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.c1528065b7d50p-1,
     -0x1.27539b1daca61p-56)
CASE(cos, 0x1.p-1, 0x0.0p+0, 0x1.c1528065b7d50p-1,
     -0x1.892111312e828p-55)
CASE(cos, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.c1528065b7d4fp-1,
     0x1.17e0cf14423cep-56)
CASE(cos, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.14a280fb5068cp-1,
     0x1.a68bb517ed51fp-55)
CASE(cos, 0x1.p+0, 0x0.0p+0, 0x1.14a280fb5068cp-1,
     -0x1.b71edcc9344bcp-55)
CASE(cos, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.14a280fb5068ap-1,
     -0x1.c9d0022dde1dbp-57)
CASE(cos, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.21bd54fc5f9a7p-4,
     0x1.0fcb936b1ce7ep-58)
CASE(cos, 0x1.p+1, 0x0.0p+0, -0x1.aa22657537205p-2,
     0x1.6f3341d4d1235p-56)
CASE(cos, 0x1.4000000000000p+1, 0x0.0p+0, -0x1.9a2f7ef858b7dp-1,
     -0x1.587cfaa17e973p-56)
CASE(cos, 0x1.8000000000000p+1, 0x0.0p+0, -0x1.fae04be85e5d2p-1,
     -0x1.83effc17efb54p-55)
CASE(cos, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.b981dbf665fdfp-1,
     0x1.8fd0cdcd985e8p-55)
CASE(cos, 0x1.fffffffffffffp+29, 0x0.0p+0, 0x1.92cb4430fba6ap-1,
     0x1.6dbdcfbef533ap-55)
CASE(cos, 0x1.p+30, 0x0.0p+0, 0x1.92cb46a920144p-1,
     -0x1.9839ca3d8ae31p-55)
CASE(cos, 0x1.0000000000001p+30, 0x0.0p+0, 0x1.92cb4b9968dc8p-1,
     -0x1.7fdc6ecb5ccfbp-61)
CASE(cos, 0x1.0f0cf064dd592p+73, 0x0.0p+0, 0x1.0be2cef01c8f4p-1,
     -0x1.b2d1bc8018c4fp-55)
CASE(cos, 0x1.p-27, 0x0.0p+0, 0x1.p+0,
     -0x1.0000000000000p-55)
CASE(cos, 0x1.p-60, 0x0.0p+0, 0x1.p+0,
     -0x1.0000000000000p-121)
CASE(cos, 0x1.p-500, 0x0.0p+0, 0x1.p+0,
     -0x1.0000000000000p-1001)
CASE(cos, 0x1.p-1022, 0x0.0p+0, 0x1.p+0,
     -0x0.0p+0)
CASE(cos, 0x0.0000000006000p-1022, 0x0.0p+0, 0x1.p+0,
     -0x0.0p+0)
CASE(cos, 0x0.0000000000001p-1022, 0x0.0p+0, 0x1.p+0,
     -0x0.0p+0)
CASE(cos, 0x1.fffffffffffffp+1023, 0x0.0p+0, -0x1.fffe62ecfab75p-1,
     -0x1.e038d934070f1p-56)
CASE(cos, 0x1.5000000000000p+3, 0x0.0p+0, -0x1.e6f3270721e39p-2,
     -0x1.ec2741886676ep-56)
CASE(cos, 0x1.6000000000000p+4, 0x0.0p+0, -0x1.fffadd8d4acdap-1,
     -0x1.f6b2aa0db6ecdp-61)
CASE(cos, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.eb9b4cd38fbd2p-1,
     -0x1.2f0fa07ff1e59p-55)
CASE(cos, 0x1.6200000000000p+9, 0x0.0p+0, -0x1.aa140679821ccp-2,
     -0x1.8ae2a262f38c6p-56)
CASE(cos, 0x1.7400000000000p+9, 0x0.0p+0, -0x1.b27bfbd71e458p-1,
     -0x1.87cdf1dd60c85p-58)
CASE(tan, 0x1.6ac5b262ca1ffp+849, 0x0.0p+0, -0x1.d9ba9a7975636p+60,
     0x1.714cf36c65449p+6)
CASE(tan, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.9e9cbbfd6080bp-31,
     0x1.6a83ab58ed0d4p-93)
CASE(tan, 0x1.62a88613629b6p+678, 0x0.0p+0, 0x1.a59b8bd470cefp-2,
     0x1.1196e89f7c777p-56)
CASE(tan, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.e0000000024eap-20,
     0x1.bcf2400002a99p-99)
CASE(tan, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.d02967c31cdb5p+53,
     -0x1.f3c72fe49aa2ap-3)
CASE(tan, 0x1.921fb54442d18p+1, 0x0.0p+0, -0x1.1a62633145c07p-53,
     0x1.f1976b7ed8fbap-109)
CASE(tan, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.3570efd768923p+52,
     0x1.0209780490e4dp-2)
CASE(tan, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.fffffffffffffp-1,
     0x1.cb3b399d747f3p-55)
CASE(tan, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.9562355bda6ddp+2,
     -0x1.a7606d48108b2p-53)
CASE(tan, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.9562355bda6e7p+2,
     0x1.2d37c5d1839eap-54)
CASE(tan, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.b582642f24e6ap-1,
     0x1.1a43de301b121p-58)
CASE(tan, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.71d166c7362d3p-2,
     0x1.1e9ccb7b33714p-56)
CASE(tan, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.71d166c7362d4p-2,
     0x1.a42c20e0049f5p-56)
CASE(tan, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.c233988c6d0cep-2,
     0x1.ac08fac111be8p-56)
CASE(tan, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.c233988c6d0cdp-2,
     0x1.cc353e283a5f3p-57)
CASE(tan, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.17b4f5bf3474ap-1,
     -0x1.8c6f9ea8846f3p-55)
CASE(tan, 0x1.p-1, 0x0.0p+0, 0x1.17b4f5bf3474ap-1,
     0x1.0c5e59201e209p-55)
CASE(tan, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.17b4f5bf3474cp-1,
     -0x1.c205b74e9cbfdp-55)
CASE(tan, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.8eb245cbee3a4p+0,
     0x1.1ab09f3aba810p-59)
CASE(tan, 0x1.p+0, 0x0.0p+0, 0x1.8eb245cbee3a6p+0,
     -0x1.1d4ce0afb373bp-54)
CASE(tan, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.8eb245cbee3a9p+0,
     0x1.2cdca7fa73fdcp-55)
CASE(tan, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.c33ed50b88777p+3,
     0x1.697584f023122p-51)
CASE(tan, 0x1.p+1, 0x0.0p+0, -0x1.17af62e0950f8p+1,
     -0x1.da84c843d57b4p-54)
CASE(tan, 0x1.4000000000000p+1, 0x0.0p+0, -0x1.7e79b4e00bb15p-1,
     0x1.4d92ddff31690p-55)
CASE(tan, 0x1.8000000000000p+1, 0x0.0p+0, -0x1.23ef71254b86fp-3,
     -0x1.996164fbff0a8p-60)
CASE(tan, 0x1.9000000000000p+6, 0x0.0p+0, -0x1.2ca74d62b5d38p-1,
     0x1.41bccbb510deep-55)
CASE(tan, 0x1.fffffffffffffp+29, 0x0.0p+0, -0x1.91c3c79d80b42p-1,
     0x1.c3304135cdd2ep-55)
CASE(tan, 0x1.p+30, 0x0.0p+0, -0x1.91c3c126f9d13p-1,
     0x1.e53e74fe8175cp-55)
CASE(tan, 0x1.0000000000001p+30, 0x0.0p+0, -0x1.91c3b439ec482p-1,
     -0x1.7c289de8d0cdep-56)
CASE(tan, 0x1.0f0cf064dd592p+73, 0x0.0p+0, -0x1.a0f79c1b6b257p+0,
     -0x1.d27810f5737ddp-54)
CASE(tan, 0x1.p-27, 0x0.0p+0, 0x1.p-27,
     0x1.5555555555555p-83)
CASE(tan, 0x1.p-60, 0x0.0p+0, 0x1.p-60,
     0x1.5555555555555p-182)
CASE(tan, 0x1.p-500, 0x0.0p+0, 0x1.p-500,
     0x0.0p+0)
CASE(tan, 0x1.p-1022, 0x0.0p+0, 0x1.p-1022,
     0x0.0p+0)
CASE(tan, 0x1.fffffffffffffp+1023, 0x0.0p+0, -0x1.4530cfe729484p-8,
     0x1.1c97823bf87a5p-62)
CASE(tan, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.d9930bc49e27bp+0,
     -0x1.33d6d6ad5cc18p-54)
CASE(tan, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.220d129b73ef8p-7,
     -0x1.9d695f2680431p-64)
CASE(tan, 0x1.7ffff00000000p+2, 0x0.0p+0, -0x1.29fe9c99b171bp-2,
     -0x1.27f0d95662e5fp-56)
CASE(tan, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.17bacb98d6f5dp+1,
     -0x1.3f8ab9cccef69p-53)
CASE(tan, 0x1.7400000000000p+9, 0x0.0p+0, -0x1.3f30484616bdfp-1,
     -0x1.1ff3c6f65c5f2p-55)
CASE(asin, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.9e9cbbfd6080bp-31,
     0x1.6a83ab58ed0d4p-94)
CASE(asin, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.e000000001356p-20,
     0x1.ee62800004286p-100)
CASE(asin, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.ce8276c3e139cp-1,
     0x1.fbaae0dbf1375p-55)
CASE(asin, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.921fb54442d19p-1,
     -0x1.bc7e938bd7e9cp-57)
CASE(asin, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.6a68e91c7f7f3p-2,
     -0x1.943db5e096ffep-59)
CASE(asin, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.6a68e91c7f7f4p-2,
     0x1.120b67d3f4d62p-60)
CASE(asin, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.b55416c582a86p-2,
     0x1.75d1316a88903p-56)
CASE(asin, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.b55416c582a85p-2,
     0x1.10c3beaa9e121p-56)
CASE(asin, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.0c152382d7365p-1,
     -0x1.ecefdf34146f4p-58)
CASE(asin, 0x1.p-1, 0x0.0p+0, 0x1.0c152382d7366p-1,
     -0x1.ee6913347c2a6p-55)
CASE(asin, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.0c152382d7367p-1,
     -0x1.4fff41d06f634p-55)
CASE(asin, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.921fb50442d18p+0,
     0x1.1a6263269b15cp-54)
CASE(asin, 0x1.p+0, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(asin, 0x1.p-27, 0x0.0p+0, 0x1.p-27,
     0x1.5555555555555p-84)
CASE(asin, 0x1.p-60, 0x0.0p+0, 0x1.p-60,
     0x1.5555555555555p-183)
CASE(asin, 0x1.p-500, 0x0.0p+0, 0x1.p-500,
     0x0.0p+0)
CASE(asin, 0x1.p-1022, 0x0.0p+0, 0x1.p-1022,
     0x0.0p+0)
CASE(acos, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.921fb54105981p+0,
     -0x1.c89bba4d77543p-55)
CASE(acos, -0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.921fb547800b0p+0,
     -0x1.cddab8ed71aa2p-55)
CASE(acos, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.921f974442d18p+0,
     0x1.158ce33145b8bp-54)
CASE(acos, -0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.921fd34442d18p+0,
     0x1.1f37e33145c82p-54)
CASE(acos, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.55bcf3c4a4694p-1,
     0x1.c8cf2c34d24c5p-58)
CASE(acos, -0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.3cb0785319b73p+1,
     0x1.0c1be9cf9f2e1p-53)
CASE(acos, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.921fb54442d18p-1,
     -0x1.5c1b94ba7e84bp-55)
CASE(acos, -0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.2d97c7f3321d2p+1,
     0x1.7169485fe561ap-53)
CASE(acos, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.37857afd22f1cp+0,
     -0x1.d8fbaf1fb5879p-54)
CASE(acos, -0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.ecb9ef8b62b15p+0,
     0x1.b80eb048210dep-59)
CASE(acos, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.37857afd22f1bp+0,
     0x1.161a3591f5ed1p-54)
CASE(acos, -0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.ecb9ef8b62b15p+0,
     0x1.1eaa90d09593cp-54)
CASE(acos, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.24caaf92e2277p+0,
     -0x1.4311e9295c63ap-54)
CASE(acos, -0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.ff74baf5a37bap+0,
     -0x1.1052a0e830371p-55)
CASE(acos, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.24caaf92e2277p+0,
     -0x1.4e7463cb0e20ap-57)
CASE(acos, -0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.ff74baf5a37bap+0,
     -0x1.a16cad2412bb1p-54)
CASE(acos, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.0c152382d7366p+0,
     -0x1.8d9d3db6f1f14p-55)
CASE(acos, -0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.0c152382d7365p+1,
     0x1.7dc9b29f023ccp-53)
CASE(acos, 0x1.p-1, 0x0.0p+0, 0x1.0c152382d7366p+0,
     -0x1.ee6913347c2a6p-54)
CASE(acos, -0x1.p-1, 0x0.0p+0, 0x1.0c152382d7366p+1,
     -0x1.ee6913347c2a6p-53)
CASE(acos, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.0c152382d7365p+0,
     -0x1.ecefdf34146f9p-57)
CASE(acos, -0x1.0000000000001p-1, 0x0.0p+0, 0x1.0c152382d7366p+1,
     -0x1.8d9d3db6f1f13p-54)
CASE(acos, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.p-26,
     0x1.5555555555555p-83)
CASE(acos, -0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.921fb52442d18p+1,
     0x1.1a62632bf06b2p-53)
CASE(acos, 0x1.p+0, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(acos, -0x1.p+0, 0x0.0p+0, 0x1.921fb54442d18p+1,
     0x1.1a62633145c07p-53)
CASE(acos, 0x1.p-27, 0x0.0p+0, 0x1.921fb52442d18p+0,
     0x1.1a62632bf06b2p-54)
CASE(acos, -0x1.p-27, 0x0.0p+0, 0x1.921fb56442d18p+0,
     0x1.1a6263369b15cp-54)
CASE(acos, 0x1.p-60, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1662633145c07p-54)
CASE(acos, -0x1.p-60, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1e62633145c07p-54)
CASE(acos, 0x1.p-500, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(acos, -0x1.p-500, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(acos, 0x1.p-1022, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(acos, -0x1.p-1022, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(acos, 0x0.0000000006000p-1022, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(acos, -0x0.0000000006000p-1022, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(acos, 0x0.0000000000001p-1022, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(acos, -0x0.0000000000001p-1022, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(atan, 0x1.6ac5b262ca1ffp+849, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(atan, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.9e9cbbfd6080bp-31,
     -0x1.6a83ab58ed0d4p-93)
CASE(atan, 0x1.62a88613629b6p+678, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(atan, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.dffffffffde9ap-20,
     0x1.0fe95ffffd6c9p-98)
CASE(atan, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.00fe987ed02ffp+0,
     0x1.19bbeccf61b6ep-55)
CASE(atan, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.433b8a322ddd3p+0,
     -0x1.a79fa5d778da7p-54)
CASE(atan, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.5c97d37d98aa4p+0,
     -0x1.63b91af29b239p-54)
CASE(atan, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.54e04c05d06a0p-1,
     0x1.010733cc3c004p-55)
CASE(atan, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.e91f42805715cp-1,
     0x1.c724752746994p-55)
CASE(atan, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.e91f42805715dp-1,
     0x1.c73c7f47c50fbp-57)
CASE(atan, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.3b2028082e8d4p-1,
     0x1.564a834cd440fp-59)
CASE(atan, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.55a03db261fbcp-2,
     0x1.83eb2872919f1p-57)
CASE(atan, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.55a03db261fbdp-2,
     0x1.509c39f0fa10dp-58)
CASE(atan, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.921fb54442d18p-2,
     0x1.c398861b78b55p-59)
CASE(atan, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.921fb54442d17p-2,
     0x1.9cd254b6f6b3bp-57)
CASE(atan, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.dac670561bb4fp-2,
     -0x1.907b41103cd52p-56)
CASE(atan, 0x1.p-1, 0x0.0p+0, 0x1.dac670561bb4fp-2,
     0x1.a2b7f222f65e2p-56)
CASE(atan, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.dac670561bb51p-2,
     0x1.23cb112b988dep-61)
CASE(atan, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.921fb54442d18p-1,
     -0x1.cb3b399d747f3p-56)
CASE(atan, 0x1.p+0, 0x0.0p+0, 0x1.921fb54442d18p-1,
     0x1.1a62633145c07p-55)
CASE(atan, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.921fb54442d19p-1,
     0x1.1a62633145c05p-55)
CASE(atan, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.f730bd281f69bp-1,
     0x1.007887af0cbbdp-56)
CASE(atan, 0x1.p+1, 0x0.0p+0, 0x1.1b6e192ebbe44p+0,
     0x1.b1b466a88828ep-54)
CASE(atan, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.30b6d796a4da8p+0,
     0x1.6254cb03bb199p-54)
CASE(atan, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.3fc176b7a8560p+0,
     -0x1.441a3bd3f1083p-59)
CASE(atan, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.8f905eb2def22p+0,
     -0x1.d048cebc585fep-54)
CASE(atan, 0x1.fffffffffffffp+29, 0x0.0p+0, 0x1.921fb54042d18p+0,
     0x1.1a6263294b15cp-54)
CASE(atan, 0x1.p+30, 0x0.0p+0, 0x1.921fb54042d18p+0,
     0x1.1a6263314b15cp-54)
CASE(atan, 0x1.0000000000001p+30, 0x0.0p+0, 0x1.921fb54042d18p+0,
     0x1.1a6263414b15cp-54)
CASE(atan, 0x1.0f0cf064dd592p+73, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a6244f825b05p-54)
CASE(atan, 0x1.p-27, 0x0.0p+0, 0x1.p-27,
     -0x1.5555555555555p-83)
CASE(atan, 0x1.p-60, 0x0.0p+0, 0x1.p-60,
     -0x1.5555555555555p-182)
CASE(atan, 0x1.p-500, 0x0.0p+0, 0x1.p-500,
     -0x0.0p+0)
CASE(atan, 0x1.fffffffffffffp+1023, 0x0.0p+0, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(atan, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.79d0f3fad1c92p+0,
     0x1.38727dc4fb7d1p-55)
CASE(atan, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.867ed918ab138p+0,
     0x1.ca07933f18e43p-56)
CASE(atan, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.67d88480f9f89p+0,
     -0x1.8cb4414848580p-54)
CASE(atan, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.91c324a64e6bcp+0,
     -0x1.0608eac810dc2p-54)
CASE(atan, 0x1.7400000000000p+9, 0x0.0p+0, 0x1.91c79f423b611p+0,
     -0x1.10ffdeb5fa520p-58)
CASE(sinh, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.9e9cbbfd6080bp-31,
     0x1.6a83ab58ed0d4p-94)
CASE(sinh, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.e000000001356p-20,
     0x1.8b82000000561p-102)
CASE(sinh, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.2690f661dd820p+1,
     -0x1.6dd8fea35ad1dp-58)
CASE(sinh, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.718f45d72e671p+3,
     0x1.573b2c005c5e7p-51)
CASE(sinh, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.bd3c34cf00a24p+5,
     0x1.729c3e5333c89p-49)
CASE(sinh, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.bcc270b522736p-1,
     0x1.6e1790ecd8e5dp-55)
CASE(sinh, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.ef608a0cd0421p+0,
     0x1.eafcd54242140p-55)
CASE(sinh, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.ef608a0cd0423p+0,
     0x1.abf42ab267775p-54)
CASE(sinh, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.88f8cb2e7abe2p-1,
     -0x1.7606e31b3e7f9p-56)
CASE(sinh, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.6a09e667f3bccp-2,
     0x1.5f4e3c1b1456ap-56)
CASE(sinh, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.6a09e667f3bcdp-2,
     0x1.9d6bef52ef8d0p-56)
CASE(sinh, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.b463588f3cebfp-2,
     0x1.18e51780006b1p-56)
CASE(sinh, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.b463588f3cebep-2,
     0x1.7f92a0cf42a11p-57)
CASE(sinh, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.0acd00fe63b96p-1,
     0x1.cefb6320f6a32p-56)
CASE(sinh, 0x1.p-1, 0x0.0p+0, 0x1.0acd00fe63b97p-1,
     -0x1.ae543b544f28dp-56)
CASE(sinh, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.0acd00fe63b98p-1,
     -0x1.51e6f07db5811p-57)
CASE(sinh, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.2cd9fc44eb982p+0,
     -0x1.ac0e17e91ee87p-54)
CASE(sinh, 0x1.p+0, 0x0.0p+0, 0x1.2cd9fc44eb982p+0,
     0x1.6a0092521fc19p-54)
CASE(sinh, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.2cd9fc44eb984p+0,
     -0x1.a78864dd8ba8dp-56)
CASE(sinh, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.108c3aabd6a60p+1,
     0x1.b2e0c934155c9p-53)
CASE(sinh, 0x1.p+1, 0x0.0p+0, 0x1.d03cf63b6e19fp+1,
     0x1.bcd3200b25880p-53)
CASE(sinh, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.83368cdb0b6d3p+2,
     -0x1.600682dc56987p-53)
CASE(sinh, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.40926e70949aep+3,
     -0x1.923f985ab875fp-51)
CASE(sinh, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.3494a9b171bf5p+143,
     -0x1.4cf76bdb3376fp+89)
CASE(sinh, 0x1.p-27, 0x0.0p+0, 0x1.p-27,
     0x1.5555555555555p-84)
CASE(sinh, 0x1.p-60, 0x0.0p+0, 0x1.p-60,
     0x1.5555555555555p-183)
CASE(sinh, 0x1.p-500, 0x0.0p+0, 0x1.p-500,
     0x0.0p+0)
CASE(sinh, 0x1.p-1022, 0x0.0p+0, 0x1.p-1022,
     0x0.0p+0)
CASE(sinh, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.1bb7015ae8db6p+14,
     0x1.be591afa757eep-40)
CASE(sinh, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.ab5adb9c43600p+30,
     -0x1.f9ac8899634ddp-24)
CASE(sinh, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.936cbe1aef24dp+7,
     0x1.7e91d3013d71ep-47)
CASE(sinh, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.586f6bf260cf1p+1020,
     -0x1.26edd2f5049f4p+966)
CASE(cosh, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.p+0,
     0x1.4fbfa7fe957d0p-62)
CASE(cosh, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.0000000001c20p+0,
     0x1.71240000005fdp-81)
CASE(cosh, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.412cc2a8d4e9ep+1,
     -0x1.f398c446e89b0p-57)
CASE(cosh, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.72f147fee4000p+3,
     0x1.3d8da583ed958p-51)
CASE(cosh, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.bd4e9aa3e9cdbp+5,
     0x1.66c74e4327f5ep-51)
CASE(cosh, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.531994ce525b9p+0,
     0x1.f522706face0ep-54)
CASE(cosh, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.16ceb80228cdap+1,
     0x1.52668fd0a907cp-54)
CASE(cosh, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.16ceb80228cdbp+1,
     0x1.0fe8b803ea105p-54)
CASE(cosh, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.42b6258776bbdp+0,
     -0x1.9f041c9d52751p-55)
CASE(cosh, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.0f876ccdf6cd9p+0,
     0x1.9eb9aedad2d90p-54)
CASE(cosh, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.0f876ccdf6cd9p+0,
     0x1.f93c2874cfc83p-54)
CASE(cosh, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.1646f1c617c6ap+0,
     0x1.c9d3f28a9b25dp-56)
CASE(cosh, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.1646f1c617c6ap+0,
     0x1.57099fb5e39e3p-60)
CASE(cosh, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.20ac1862ae8d0p+0,
     0x1.0bfa0e148fa55p-54)
CASE(cosh, 0x1.p-1, 0x0.0p+0, 0x1.20ac1862ae8d0p+0,
     0x1.91608e93c1820p-54)
CASE(cosh, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.20ac1862ae8d1p+0,
     -0x1.63d2706ddac49p-54)
CASE(cosh, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.8b07551d9f550p+0,
     -0x1.2904ae85d6ca9p-54)
CASE(cosh, 0x1.p+0, 0x0.0p+0, 0x1.8b07551d9f550p+0,
     0x1.30af4a040065bp-54)
CASE(cosh, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.8b07551d9f551p+0,
     0x1.e4173b17aec67p-54)
CASE(cosh, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.2d1bc21e22022p+1,
     0x1.0bfbc37d9320bp-53)
CASE(cosh, 0x1.p+1, 0x0.0p+0, 0x1.e18fa0df2d9bcp+1,
     0x1.4993fb8bbba68p-54)
CASE(cosh, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.88776e4b30aa3p+2,
     0x1.9a72a3151f713p-52)
CASE(cosh, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.422a497d6185ep+3,
     0x1.28e5883d54185p-51)
CASE(cosh, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.3494a9b171bf5p+143,
     -0x1.4cf76bdb3376fp+89)
CASE(cosh, 0x1.p-27, 0x0.0p+0, 0x1.p+0,
     0x1.0000000000000p-55)
CASE(cosh, 0x1.p-60, 0x0.0p+0, 0x1.p+0,
     0x1.0000000000000p-121)
CASE(cosh, 0x1.p-500, 0x0.0p+0, 0x1.p+0,
     0x1.0000000000000p-1001)
CASE(cosh, 0x1.p-1022, 0x0.0p+0, 0x1.p+0,
     0x0.0p+0)
CASE(cosh, 0x0.0000000006000p-1022, 0x0.0p+0, 0x1.p+0,
     0x0.0p+0)
CASE(cosh, 0x0.0000000000001p-1022, 0x0.0p+0, 0x1.p+0,
     0x0.0p+0)
CASE(cosh, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.1bb7016220cc0p+14,
     -0x1.1e6cb35c51a5dp-47)
CASE(cosh, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.ab5adb9c43600p+30,
     -0x1.f879d40d7235fp-24)
CASE(cosh, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.936e03005f6f6p+7,
     0x1.4cc77c4e4471dp-47)
CASE(cosh, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.586f6bf260cf1p+1020,
     -0x1.26edd2f5049f4p+966)
CASE(tanh, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.9e9cbbfd6080bp-31,
     -0x1.6a83ab58ed0d4p-93)
CASE(tanh, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.dffffffffde9ap-20,
     0x1.5a11bffffe3e3p-99)
CASE(tanh, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.d594fdae482bap-1,
     -0x1.d63f0ae30995dp-55)
CASE(tanh, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.fe175fa292810p-1,
     -0x1.5496474db0564p-55)
CASE(tanh, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.ffead8c8b7e1ep-1,
     0x1.8f53f779874c1p-55)
CASE(tanh, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.4fc441fa6d6d6p-1,
     0x1.95ca63f8eb92dp-57)
CASE(tanh, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.c6da78ea7f7dbp-1,
     0x1.2d9c8ba4f22cep-57)
CASE(tanh, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.c6da78ea7f7dbp-1,
     0x1.fb0fe445732bep-55)
CASE(tanh, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.37bc6a2932386p-1,
     0x1.75de9a2499d54p-55)
CASE(tanh, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.5555555555555p-2,
     0x1.2e68fcb5b1c3ap-57)
CASE(tanh, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.5555555555556p-2,
     0x1.2b6b0f488e2acp-59)
CASE(tanh, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.91741d28cd8eap-2,
     -0x1.47fff91d9869bp-56)
CASE(tanh, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.91741d28cd8e9p-2,
     -0x1.553976390eb0bp-57)
CASE(tanh, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.d9353d7568af3p-2,
     -0x1.9108526bf6dbcp-56)
CASE(tanh, 0x1.p-1, 0x0.0p+0, 0x1.d9353d7568af3p-2,
     0x1.944a3b887196cp-56)
CASE(tanh, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.d9353d7568af5p-2,
     -0x1.08854475ec229p-59)
CASE(tanh, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.85efab514f394p-1,
     -0x1.5fd3d803af4d3p-57)
CASE(tanh, 0x1.p+0, 0x0.0p+0, 0x1.85efab514f394p-1,
     0x1.5618caf8a4f11p-55)
CASE(tanh, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.85efab514f395p-1,
     0x1.646899d78cf2fp-56)
CASE(tanh, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.cf6f9786df577p-1,
     0x1.834edd51ae31ep-55)
CASE(tanh, 0x1.p+1, 0x0.0p+0, 0x1.ed9505e1bc3d4p-1,
     -0x1.661de681e0bedp-56)
CASE(tanh, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.f9258260a71c2p-1,
     -0x1.c47c0e1b448e9p-56)
CASE(tanh, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.fd77d111a0b00p-1,
     -0x1.df50f574f4805p-57)
CASE(tanh, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.p+0,
     -0x1.6061812054cfap-288)
CASE(tanh, 0x1.p-27, 0x0.0p+0, 0x1.p-27,
     -0x1.5555555555555p-83)
CASE(tanh, 0x1.p-60, 0x0.0p+0, 0x1.p-60,
     -0x1.5555555555555p-182)
CASE(tanh, 0x1.p-500, 0x0.0p+0, 0x1.p-500,
     -0x0.0p+0)
CASE(tanh, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.fffffff2f9279p-1,
     0x1.eee4a5133d9a7p-55)
CASE(tanh, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.p+0,
     -0x1.6f741de1748ecp-63)
CASE(tanh, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.fffe63ab1429dp-1,
     -0x1.80ed8fb71b1ddp-57)
CASE(tanh, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.p+0,
     -0x0.0p+0)
CASE(tanh, 0x1.7400000000000p+9, 0x0.0p+0, 0x1.p+0,
     -0x0.0p+0)
CASE(exp, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.000000033d398p+0,
     -0x1.0000000000000p-53)
CASE(exp, -0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.fffffff9858d1p-1,
     0x1.4fbfa7fe957cbp-61)
CASE(exp, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.00001e0001c20p+0,
     0x1.35600b892062ep-60)
CASE(exp, -0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.ffffc40003840p-1,
     -0x1.355ff476e062ep-60)
CASE(exp, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.33dedc855935fp+2,
     -0x1.5542a1cc4b01fp-56)
CASE(exp, -0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.a9bcc46f767e0p-3,
     -0x1.3cac44f53b321p-57)
CASE(exp, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.724046eb09339p+4,
     -0x1.6b372e7bb60c0p-51)
CASE(exp, -0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.620227b598efap-5,
     -0x1.ad867c6ec8ee9p-59)
CASE(exp, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.bd4567b975380p+6,
     -0x1.19d8f70e011d0p-48)
CASE(exp, -0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.265d4e92b6b9cp-7,
     0x1.5953d9634e4cep-61)
CASE(exp, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.18bd669471caap+1,
     0x1.56171c730ca9ep-53)
CASE(exp, -0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.d2e171cf04879p-2,
     0x1.f0b53fca03700p-57)
CASE(exp, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.073f7e8448775p+2,
     0x1.91f93e9c72847p-52)
CASE(exp, -0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.f1e72fbc0ac99p-3,
     -0x1.18bed683c011ep-57)
CASE(exp, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.073f7e8448776p+2,
     0x1.aef738ad9461fp-52)
CASE(exp, -0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.f1e72fbc0ac97p-3,
     -0x1.c0b72ae7d66fap-58)
CASE(exp, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.0399458f5a0d7p+1,
     -0x1.2d03c71578da7p-54)
CASE(exp, -0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.f8e6ffc0e5730p-2,
     -0x1.c801561f666aap-56)
CASE(exp, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.6a09e667f3bccp+0,
     0x1.f68d3de197eeap-54)
CASE(exp, -0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.6a09e667f3bcdp-1,
     -0x1.7233c057e4796p-55)
CASE(exp, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.6a09e667f3bcdp+0,
     -0x1.3ed1b76ce8a92p-55)
CASE(exp, -0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.6a09e667f3bccp-1,
     0x1.23c2594027c9ep-55)
CASE(exp, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.835fc7e9e701ap+0,
     -0x1.1d46f5f5646f3p-56)
CASE(exp, -0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.525c374491175p-1,
     -0x1.a788927ab2a2ap-55)
CASE(exp, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.835fc7e9e701ap+0,
     -0x1.cab18567401d6p-54)
CASE(exp, -0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.525c374491175p-1,
     -0x1.54b16cd8862d4p-57)
CASE(exp, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.a61298e1e069bp+0,
     0x1.7fb8e6dccd4e1p-54)
CASE(exp, -0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.368b2fc6f960ap-1,
     0x1.30766a98a3f91p-55)
CASE(exp, 0x1.p-1, 0x0.0p+0, 0x1.a61298e1e069cp+0,
     -0x1.b4690082a4906p-55)
CASE(exp, -0x1.p-1, 0x0.0p+0, 0x1.368b2fc6f960ap-1,
     -0x1.85314b9559e64p-61)
CASE(exp, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.a61298e1e069dp+0,
     -0x1.8e0f4e7d9174bp-54)
CASE(exp, -0x1.0000000000001p-1, 0x0.0p+0, 0x1.368b2fc6f9609p-1,
     0x1.8cd4db43b7d73p-55)
CASE(exp, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.5bf0a8b145769p+1,
     -0x1.6a8963377ad98p-53)
CASE(exp, -0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.78b56362cef39p-2,
     -0x1.f3da5a72df88ap-56)
CASE(exp, 0x1.p+0, 0x0.0p+0, 0x1.5bf0a8b145769p+1,
     0x1.4d57ee2b1013ap-53)
CASE(exp, -0x1.p+0, 0x0.0p+0, 0x1.78b56362cef38p-2,
     -0x1.ca8a4270fadf5p-57)
CASE(exp, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.5bf0a8b14576bp+1,
     -0x1.42e56f0fda11ep-53)
CASE(exp, -0x1.0000000000001p+0, 0x0.0p+0, 0x1.78b56362cef36p-2,
     0x1.37e5513c46c29p-56)
CASE(exp, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.1ed3fe64fc541p+2,
     0x1.5f6e4658d43eap-52)
CASE(exp, -0x1.8000000000000p+0, 0x0.0p+0, 0x1.c8f87724b5c1dp-3,
     0x1.91afa497dc416p-57)
CASE(exp, 0x1.p+1, 0x0.0p+0, 0x1.d8e64b8d4ddaep+2,
     -0x1.9e62e22efca4cp-53)
CASE(exp, -0x1.p+1, 0x0.0p+0, 0x1.152aaa3bf81ccp-3,
     -0x1.809224547b4bfp-57)
CASE(exp, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.85d6fd931e0bbp+3,
     0x1.d4dec34de84a0p-53)
CASE(exp, -0x1.4000000000000p+1, 0x0.0p+0, 0x1.50385c094f425p-4,
     -0x1.6286df2d50a3fp-58)
CASE(exp, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.415e5bf6fb106p+4,
     -0x1.a568407591768p-53)
CASE(exp, -0x1.8000000000000p+1, 0x0.0p+0, 0x1.97db0ccceb0afp-5,
     -0x1.b5becfe6e37bfp-60)
CASE(exp, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.3494a9b171bf5p+144,
     -0x1.4cf76bdb3376fp+90)
CASE(exp, -0x1.9000000000000p+6, 0x0.0p+0, 0x1.a8c1f14e2af5dp-145,
     -0x1.43089bb228e2cp-199)
CASE(exp, 0x1.p-27, 0x0.0p+0, 0x1.0000002000000p+0,
     0x1.0000000aaaaabp-55)
CASE(exp, -0x1.p-27, 0x0.0p+0, 0x1.ffffffc000000p-1,
     0x1.ffffffeaaaaabp-56)
CASE(exp, 0x1.p-60, 0x0.0p+0, 0x1.p+0,
     0x1.0000000000000p-60)
CASE(exp, -0x1.p-60, 0x0.0p+0, 0x1.p+0,
     -0x1.0000000000000p-60)
CASE(exp, 0x1.p-500, 0x0.0p+0, 0x1.p+0,
     0x1.0000000000000p-500)
CASE(exp, -0x1.p-500, 0x0.0p+0, 0x1.p+0,
     -0x1.0000000000000p-500)
CASE(exp, 0x1.p-1022, 0x0.0p+0, 0x1.p+0,
     0x1.0000000000000p-1022)
CASE(exp, -0x1.p-1022, 0x0.0p+0, 0x1.p+0,
     -0x1.0000000000000p-1022)
CASE(exp, 0x0.0000000006000p-1022, 0x0.0p+0, 0x1.p+0,
     0x0.0000000006000p-1022)
CASE(exp, -0x0.0000000006000p-1022, 0x0.0p+0, 0x1.p+0,
     -0x0.0000000006000p-1022)
CASE(exp, 0x0.0000000000001p-1022, 0x0.0p+0, 0x1.p+0,
     0x0.0000000000001p-1022)
CASE(exp, -0x0.0000000000001p-1022, 0x0.0p+0, 0x1.p+0,
     -0x0.0000000000001p-1022)
CASE(exp, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.1bb7015e84d3bp+15,
     0x1.bc1c4193bcdb9p-40)
CASE(exp, -0x1.5000000000000p+3, 0x0.0p+0, 0x1.cdfc263f6a0bap-16,
     -0x1.2e222c850c539p-72)
CASE(exp, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.ab5adb9c43600p+31,
     -0x1.f9132e536ac1ep-23)
CASE(exp, -0x1.6000000000000p+4, 0x0.0p+0, 0x1.32b48bf117da2p-32,
     0x1.4f3bc17da1645p-86)
CASE(exp, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.936d608da74a2p+8,
     -0x1.34a6b0b07e1c5p-47)
CASE(exp, -0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.44e5704a8f38dp-9,
     0x1.a94d06fff3566p-63)
CASE(exp, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.586f6bf260cf1p+1021,
     -0x1.26edd2f5049f4p+967)
CASE(exp, -0x1.6200000000000p+9, 0x0.0p+0, 0x1.7c8ab2288c9abp-1022,
     0x0.0p+0)
CASE(log, 0x1.6ac5b262ca1ffp+849, 0x0.0p+0, 0x1.266a4f98a7d3fp+9,
     -0x1.0a1f792021bf9p-46)
CASE(log, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, -0x1.50161a7150501p+4,
     -0x1.5783cb9694720p-50)
CASE(log, 0x1.62a88613629b6p+678, 0x0.0p+0, 0x1.d6479eba7c971p+8,
     0x1.cd1e2a7f5232fp-110)
CASE(log, 0x1.e0000000001c2p-20, 0x0.0p+0, -0x1.a77fac0346122p+3,
     -0x1.c913fc7e15b9cp-53)
CASE(log, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.ce6bb25aa1315p-2,
     0x1.09feefc86318bp-58)
CASE(log, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.250d048e7a1bdp+0,
     -0x1.08db302d279afp-55)
CASE(log, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.8cd99441787d0p+0,
     -0x1.236e1540491a5p-55)
CASE(log, 0x1.921fb54442d18p-1, 0x0.0p+0, -0x1.eeb95b094c193p-3,
     0x1.2d6bb07d01847p-57)
CASE(log, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.62e42fefa39eep-2,
     -0x1.8d6e518e495a3p-56)
CASE(log, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.62e42fefa39f0p-2,
     0x1.c2e0e1b1548c2p-56)
CASE(log, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, -0x1.62e42fefa39eep-2,
     0x1.716fdfdbc882ep-60)
CASE(log, 0x1.62e42fefa39efp-2, 0x0.0p+0, -0x1.0f45e267477dfp+0,
     -0x1.a63550125339ap-54)
CASE(log, 0x1.62e42fefa39f0p-2, 0x0.0p+0, -0x1.0f45e267477dfp+0,
     0x1.3c739c931d261p-54)
CASE(log, 0x1.a827999fcef32p-2, 0x0.0p+0, -0x1.c34366179d427p-1,
     -0x1.bfc69085031d9p-57)
CASE(log, 0x1.a827999fcef31p-2, 0x0.0p+0, -0x1.c34366179d428p-1,
     -0x1.440570f128412p-55)
CASE(log, 0x1.fffffffffffffp-2, 0x0.0p+0, -0x1.62e42fefa39f0p-1,
     -0x1.abc9e3b398041p-56)
CASE(log, 0x1.p-1, 0x0.0p+0, -0x1.62e42fefa39efp-1,
     -0x1.abc9e3b39803fp-56)
CASE(log, 0x1.0000000000001p-1, 0x0.0p+0, -0x1.62e42fefa39edp-1,
     -0x1.abc9e3b398047p-56)
CASE(log, 0x1.fffffffffffffp-1, 0x0.0p+0, -0x1.p-53,
     -0x1.0000000000000p-107)
CASE(log, 0x1.p+0, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(log, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.fffffffffffffp-53,
     0x1.5555555555554p-158)
CASE(log, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.9f323ecbf984cp-2,
     -0x1.a92e513217f5cp-59)
CASE(log, 0x1.p+1, 0x0.0p+0, 0x1.62e42fefa39efp-1,
     0x1.abc9e3b39803fp-56)
CASE(log, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.d5240f0e0e078p-1,
     -0x1.7df5360740fe5p-55)
CASE(log, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.193ea7aad030bp+0,
     -0x1.a256f99caabebp-54)
CASE(log, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.26bb1bbb55516p+2,
     -0x1.f48ad494ea3e9p-52)
CASE(log, 0x1.fffffffffffffp+29, 0x0.0p+0, 0x1.4cb5ecf0a9650p+4,
     0x1.d10d45785e83bp-51)
CASE(log, 0x1.p+30, 0x0.0p+0, 0x1.4cb5ecf0a9650p+4,
     0x1.0886a2bc2f41ep-50)
CASE(log, 0x1.0000000000001p+30, 0x0.0p+0, 0x1.4cb5ecf0a9650p+4,
     0x1.4886a2bc2f41dp-50)
CASE(log, 0x1.0f0cf064dd592p+73, 0x0.0p+0, 0x1.95414621954fep+5,
     -0x1.b03ee44cc2161p-49)
CASE(log, 0x1.p-27, 0x0.0p+0, -0x1.2b708872320e2p+4,
     0x1.570da7e077bcbp-51)
CASE(log, 0x1.p-60, 0x0.0p+0, -0x1.4cb5ecf0a9650p+5,
     -0x1.0886a2bc2f41ep-49)
CASE(log, 0x1.p-500, 0x0.0p+0, -0x1.5a92d6d005c94p+8,
     0x1.971e6bd14ec61p-46)
CASE(log, 0x1.p-1022, 0x0.0p+0, -0x1.6232bdd7abcd2p+9,
     -0x1.eef3fec1be37fp-46)
CASE(log, 0x0.0000000006000p-1022, 0x0.0p+0, -0x1.6f2a4f5736e06p+9,
     0x1.ac8f5cec47099p-45)
CASE(log, 0x0.0000000000001p-1022, 0x0.0p+0, -0x1.74385446d71c3p+9,
     -0x1.8e569fa8ee781p-45)
CASE(log, 0x1.fffffffffffffp+1023, 0x0.0p+0, 0x1.62e42fefa39efp+9,
     0x1.a9c9e3b39803fp-46)
CASE(log, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.2cf9dd4b12035p+1,
     0x1.4474329c2309ep-54)
CASE(log, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.8ba74773dc5c8p+1,
     -0x1.eb95508a5a5fdp-53)
CASE(log, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.cab0b4f7f71c9p+0,
     0x1.39fd78fae5ecep-54)
CASE(log, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.a3ff15830f8b7p+2,
     0x1.4ee96ccf06833p-53)
CASE(log, 0x1.7400000000000p+9, 0x0.0p+0, 0x1.a72bae291ac29p+2,
     0x1.49ce798ef2ab9p-52)
CASE(log10, 0x1.6ac5b262ca1ffp+849, 0x0.0p+0, 0x1.ff73a3f9f7285p+7,
     -0x1.cfceec494b5efp-47)
CASE(log10, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, -0x1.23ebbf3a773dep+3,
     -0x1.f437c2c927fe1p-51)
CASE(log10, 0x1.62a88613629b6p+678, 0x0.0p+0, 0x1.987ad51e6cde2p+7,
     -0x1.4fc18665e2ff6p-47)
CASE(log10, 0x1.e0000000001c2p-20, 0x0.0p+0, -0x1.6fd8a7f8a3985p+2,
     0x1.cad2a91f80e75p-52)
CASE(log10, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.91a74c4f85377p-3,
     0x1.fd39497d900c1p-57)
CASE(log10, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.fd14db31ba3bbp-2,
     -0x1.351b969461f43p-56)
CASE(log10, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.58b30fc65ffdcp-1,
     0x1.90d458e6b4465p-55)
CASE(log10, 0x1.921fb54442d18p-1, 0x0.0p+0, -0x1.adb63b88d410dp-4,
     0x1.92a7008f90026p-59)
CASE(log10, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.34413509f79fep-3,
     -0x1.c025266795b05p-57)
CASE(log10, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.34413509f7a00p-3,
     0x1.38ea76e146b9ep-61)
CASE(log10, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, -0x1.34413509f79fep-3,
     0x1.ebfc7851a1808p-59)
CASE(log10, 0x1.62e42fefa39efp-2, 0x0.0p+0, -0x1.d73fdb86a2a44p-2,
     0x1.e99dbf01b076dp-58)
CASE(log10, 0x1.62e42fefa39f0p-2, 0x0.0p+0, -0x1.d73fdb86a2a43p-2,
     0x1.7d967095294f3p-56)
CASE(log10, 0x1.a827999fcef32p-2, 0x0.0p+0, -0x1.87f65968eba1ap-2,
     0x1.63cb7c7a98468p-57)
CASE(log10, 0x1.a827999fcef31p-2, 0x0.0p+0, -0x1.87f65968eba1bp-2,
     0x1.008232eae6968p-57)
CASE(log10, 0x1.fffffffffffffp-2, 0x0.0p+0, -0x1.34413509f7a00p-2,
     0x1.7491b15c9ab0ep-57)
CASE(log10, 0x1.p-1, 0x0.0p+0, -0x1.34413509f79ffp-2,
     0x1.9dc1da994fd21p-59)
CASE(log10, 0x1.0000000000001p-1, 0x0.0p+0, -0x1.34413509f79fdp-2,
     -0x1.b2d1fec63984dp-57)
CASE(log10, 0x1.fffffffffffffp-1, 0x0.0p+0, -0x1.bcb7b1526e50fp-55,
     0x1.78ada0d839d88p-109)
CASE(log10, 0x1.p+0, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(log10, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.bcb7b1526e50dp-54,
     0x1.512b4b307b350p-108)
CASE(log10, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.68a288b60b7fcp-3,
     0x1.5b1121872a033p-58)
CASE(log10, 0x1.p+1, 0x0.0p+0, 0x1.34413509f79ffp-2,
     -0x1.9dc1da994fd21p-59)
CASE(log10, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.977d95ec10c02p-2,
     0x1.9dc1da994fd21p-58)
CASE(log10, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.e8927964fd5fdp-2,
     0x1.1860687504345p-59)
CASE(log10, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.p+1,
     0x0.0p+0)
CASE(log10, 0x1.fffffffffffffp+29, 0x0.0p+0, 0x1.20fd21b95825fp+3,
     -0x1.89065663c7f58p-56)
CASE(log10, 0x1.p+30, 0x0.0p+0, 0x1.20fd21b95825fp+3,
     0x1.f0690c4114ac5p-56)
CASE(log10, 0x1.0000000000001p+30, 0x0.0p+0, 0x1.20fd21b95825fp+3,
     0x1.1c68fa3159bdfp-53)
CASE(log10, 0x1.0f0cf064dd592p+73, 0x0.0p+0, 0x1.6000000000000p+4,
     0x0.0p+0)
CASE(log10, 0x1.p-27, 0x0.0p+0, -0x1.041704c068eefp+3,
     -0x1.d17237c752536p-53)
CASE(log10, 0x1.p-60, 0x0.0p+0, -0x1.20fd21b95825fp+4,
     -0x1.f0690c4114ac5p-55)
CASE(log10, 0x1.p-500, 0x0.0p+0, -0x1.2d07adcbbbd23p+7,
     0x1.a81e9ef36fe64p-51)
CASE(log10, 0x1.p-1022, 0x0.0p+0, -0x1.33a7146f72a42p+8,
     0x1.8cf2f9ac032a2p-49)
CASE(log10, 0x0.0000000006000p-1022, 0x0.0p+0, -0x1.3eea6b963a932p+8,
     0x1.5e7d99ecbb9acp-48)
CASE(log10, 0x0.0000000000001p-1022, 0x0.0p+0, -0x1.434e6420f4374p+8,
     0x1.a0fae8e2e61bep-48)
CASE(log10, 0x1.fffffffffffffp+1023, 0x0.0p+0, 0x1.34413509f79ffp+8,
     -0x1.a4b4b95e998b5p-49)
CASE(log10, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.056ca97287d1fp+0,
     0x1.a22d785a7286dp-56)
CASE(log10, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.57a903478a3eep+0,
     0x1.2a255e3f26859p-54)
CASE(log10, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.8e69cdf3a69ccp-1,
     -0x1.82c5a2901cbe3p-57)
CASE(log10, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.6ccde3c9251b6p+1,
     0x1.1b1bc21d0e45ep-53)
CASE(log10, 0x1.7400000000000p+9, 0x0.0p+0, 0x1.6f8fb3b31fc72p+1,
     0x1.4e36483756a11p-53)
CASE(cbrt, 0x1.6ac5b262ca1ffp+849, 0x0.0p+0, 0x1.1f8b52f71bd3bp+283,
     0x1.3950f83c1ba1ap+229)
CASE(cbrt, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.dd3ac54b60eaap-11,
     0x1.c2ed70caf50e0p-68)
CASE(cbrt, 0x1.62a88613629b6p+678, 0x0.0p+0, 0x1.1d625eebfa193p+226,
     0x1.3805d7d1cd88bp+171)
CASE(cbrt, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.8db9cb7511f1ap-7,
     -0x1.140e39f30db38p-63)
CASE(cbrt, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.2996264e0e3fep+0,
     -0x1.2acb1536bbae5p-54)
CASE(cbrt, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.76ef7e73104b7p+0,
     0x1.d420cc4c4a1c7p-54)
CASE(cbrt, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.ad31ac2d574d6p+0,
     -0x1.9865dbe827ee0p-54)
CASE(cbrt, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.d8639fdcb60eap-1,
     0x1.70e24715a050cp-58)
CASE(cbrt, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.1f59ac3c7d6c0p+0,
     -0x1.3dfed1da62bd8p-54)
CASE(cbrt, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.1f59ac3c7d6c0p+0,
     -0x1.78a1ad13f12d3p-57)
CASE(cbrt, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.c823e074ec129p-1,
     0x1.d5c5a94ee1bf3p-55)
CASE(cbrt, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.67a3f00749ccfp-1,
     -0x1.83ee0b620c0eap-56)
CASE(cbrt, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.67a3f00749ccfp-1,
     0x1.2fdf3b47562bfp-56)
CASE(cbrt, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.7da947897eda8p-1,
     0x1.8588a0f8cfa99p-56)
CASE(cbrt, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.7da947897eda8p-1,
     -0x1.c17b4a41b71c2p-57)
CASE(cbrt, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.965fea53d6e3cp-1,
     0x1.f7ad945d90ef2p-56)
CASE(cbrt, 0x1.p-1, 0x0.0p+0, 0x1.965fea53d6e3dp-1,
     -0x1.f53e999952f09p-55)
CASE(cbrt, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.965fea53d6e3dp-1,
     0x1.44b4f6b3b1f8ep-58)
CASE(cbrt, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.p+0,
     -0x1.5555555555556p-55)
CASE(cbrt, 0x1.p+0, 0x0.0p+0, 0x1.p+0,
     0x0.0p+0)
CASE(cbrt, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.p+0,
     0x1.5555555555555p-54)
CASE(cbrt, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.250bfe1b082f5p+0,
     -0x1.91cacc5e8d601p-58)
CASE(cbrt, 0x1.p+1, 0x0.0p+0, 0x1.428a2f98d728bp+0,
     -0x1.ddc22548ea41ep-56)
CASE(cbrt, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.5b7209557b0eep+0,
     -0x1.c530325d7975ap-54)
CASE(cbrt, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.7137449123ef6p+0,
     0x1.73779fc5b15b9p-54)
CASE(cbrt, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.290fca9c761f8p+2,
     -0x1.d23ad6b337221p-52)
CASE(cbrt, 0x1.fffffffffffffp+29, 0x0.0p+0, 0x1.p+10,
     -0x1.5555555555556p-45)
CASE(cbrt, 0x1.p+30, 0x0.0p+0, 0x1.p+10,
     0x0.0p+0)
CASE(cbrt, 0x1.0000000000001p+30, 0x0.0p+0, 0x1.p+10,
     0x1.5555555555555p-44)
CASE(cbrt, 0x1.0f0cf064dd592p+73, 0x0.0p+0, 0x1.48bd9ae67b4bap+24,
     -0x1.8b5f48d635052p-30)
CASE(cbrt, 0x1.p-27, 0x0.0p+0, 0x1.p-9,
     0x0.0p+0)
CASE(cbrt, 0x1.p-60, 0x0.0p+0, 0x1.p-20,
     0x0.0p+0)
CASE(cbrt, 0x1.p-500, 0x0.0p+0, 0x1.428a2f98d728bp-167,
     -0x1.ddc22548ea41ep-223)
CASE(cbrt, 0x1.p-1022, 0x0.0p+0, 0x1.428a2f98d728bp-341,
     -0x1.ddc22548ea41ep-397)
CASE(cbrt, 0x0.0000000006000p-1022, 0x0.0p+0, 0x1.d12ed0af1a27fp-354,
     -0x1.84a8a3d967a4cp-411)
CASE(cbrt, 0x0.0000000000001p-1022, 0x0.0p+0, 0x1.p-358,
     0x0.0p+0)
CASE(cbrt, 0x1.fffffffffffffp+1023, 0x0.0p+0, 0x1.428a2f98d728bp+341,
     -0x1.4e7753b81f564p+287)
CASE(cbrt, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.184a0aa58191fp+1,
     0x1.3dfe8513fb1bep-53)
CASE(cbrt, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.66a9398ba2a3ap+1,
     -0x1.1165b07802e6dp-53)
CASE(cbrt, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.d12eca391e477p+0,
     -0x1.27c6a5f4aea28p-54)
CASE(cbrt, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.1d3523fce55adp+3,
     0x1.7c0ccd34c7e74p-52)
CASE(cbrt, 0x1.7400000000000p+9, 0x0.0p+0, 0x1.21f63ff409043p+3,
     -0x1.4ddea841ddf27p-52)
CASE(erf, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.d3d6fe4fb63a0p-31,
     0x1.2a4d776a684e0p-86)
CASE(erf, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.0ecf9db3e5edep-19,
     0x1.b9a909d44772bp-73)
CASE(erf, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.f2860b4807f6dp-1,
     -0x1.3efd6d5fd3182p-55)
CASE(erf, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.fffed62a7bb7cp-1,
     0x1.a042f7993e2c1p-55)
CASE(erf, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.ffffffffc5880p-1,
     -0x1.c1c35bf3ad0fep-55)
CASE(erf, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.7774985d2d6e2p-1,
     -0x1.09dff0f3e7f74p-56)
CASE(erf, 0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.e8b4307d3627ap-1,
     -0x1.2e13161293a17p-56)
CASE(erf, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.e8b4307d3627ap-1,
     0x1.436c7200496d4p-56)
CASE(erf, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.5d897a241a6fbp-1,
     -0x1.2a21d34b41528p-55)
CASE(erf, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.80fafc37530f4p-2,
     -0x1.03643442587f0p-56)
CASE(erf, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.80fafc37530f5p-2,
     -0x1.02b4c678dea1ep-56)
CASE(erf, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.c496a836ccae6p-2,
     0x1.a2be6af50cc50p-58)
CASE(erf, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.c496a836ccae5p-2,
     0x1.36cb2f9738a6dp-57)
CASE(erf, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.0a7ef5c18edd2p-1,
     -0x1.12af7abc8c2fep-55)
CASE(erf, 0x1.p-1, 0x0.0p+0, 0x1.0a7ef5c18edd2p-1,
     0x1.5e809f1a31a28p-56)
CASE(erf, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.0a7ef5c18edd3p-1,
     0x1.98ff2103169adp-58)
CASE(erf, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.af767a741088ap-1,
     0x1.722e53a87300ep-55)
CASE(erf, 0x1.p+0, 0x0.0p+0, 0x1.af767a741088bp-1,
     -0x1.c97f778122797p-56)
CASE(erf, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.af767a741088cp-1,
     -0x1.929bda9299b83p-55)
CASE(erf, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.eea5557137ae0p-1,
     -0x1.385e445f2c96dp-55)
CASE(erf, 0x1.p+1, 0x0.0p+0, 0x1.fd9ae142795e3p-1,
     0x1.972801904b9a3p-56)
CASE(erf, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.ffcaa8f4c9beap-1,
     0x1.b0cee160116f9p-55)
CASE(erf, 0x1.8000000000000p+1, 0x0.0p+0, 0x1.fffd1ac4135f9p-1,
     0x1.eeafa1ecd6cefp-55)
CASE(erf, 0x1.9000000000000p+6, 0x0.0p+0, 0x1.p+0,
     0x0.0p+0)
CASE(erf, 0x1.p-27, 0x0.0p+0, 0x1.20dd750429b6dp-27,
     -0x1.990e766ce319bp-85)
CASE(erf, 0x1.p-60, 0x0.0p+0, 0x1.20dd750429b6dp-60,
     0x1.1ae3a914fed80p-116)
CASE(erf, 0x1.p-500, 0x0.0p+0, 0x1.20dd750429b6dp-500,
     0x1.1ae3a914fed80p-556)
CASE(erf, 0x1.p-1022, 0x0.0p+0, 0x1.20dd750429b6dp-1022,
     0x0.0p+0)
CASE(erf, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.p+0,
     -0x1.a53148c3fc482p-164)
CASE(erf, 0x1.6000000000000p+4, 0x0.0p+0, 0x1.p+0,
     -0x1.5d72aff4768dap-704)
CASE(erf, 0x1.7ffff00000000p+2, 0x0.0p+0, 0x1.p+0,
     -0x1.8cfccc6348be5p-56)
CASE(erf, 0x1.6200000000000p+9, 0x0.0p+0, 0x1.p+0,
     0x0.0p+0)
CASE(erf, 0x1.7400000000000p+9, 0x0.0p+0, 0x1.p+0,
     0x0.0p+0)
CASE(sinc, 0x1.6ac5b262ca1ffp+849, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.9e9cbbfd6080bp-31, 0x0.0p+0, 0x1.p+0,
     -0x1.14246759ef765p-60)
CASE(sinc, 0x1.62a88613629b6p+678, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.e0000000001c2p-20, 0x0.0p+0, 0x1.fffffffff46f2p-1,
     -0x1.9e356a3a749ddp-57)
CASE(sinc, 0x1.921fb54442d18p+0, 0x0.0p+0, -0x1.94c9fb5b983b3p-3,
     -0x1.eafbcc968550fp-57)
CASE(sinc, 0x1.921fb54442d18p+1, 0x0.0p+0, -0x1.6528f3839c253p-5,
     0x1.12e2452ab891ap-64)
CASE(sinc, 0x1.2d97c7f3321d2p+2, 0x0.0p+0, 0x1.b2ac7154f7a06p-5,
     0x1.318b0445a5547p-62)
CASE(sinc, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.0313dd1161085p-2,
     -0x1.92212d5cd4379p-56)
CASE(sinc, 0x1.6a09e667f3bccp+0, 0x0.0p+0, -0x1.bc5288789fc7cp-3,
     0x1.82a2f583062b6p-57)
CASE(sinc, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, -0x1.bc5288789fc7cp-3,
     0x1.9437b0d84a9b6p-59)
CASE(sinc, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.6ec8c76b039d2p-2,
     -0x1.454094f5d7936p-56)
CASE(sinc, 0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.a0ab643bc0064p-1,
     0x1.dbece23291a10p-55)
CASE(sinc, 0x1.62e42fefa39f0p-2, 0x0.0p+0, 0x1.a0ab643bc0064p-1,
     -0x1.4c138dec2c36ep-58)
CASE(sinc, 0x1.a827999fcef32p-2, 0x0.0p+0, 0x1.7b40bd2e4c263p-1,
     0x1.a21a88f6125d0p-55)
CASE(sinc, 0x1.a827999fcef31p-2, 0x0.0p+0, 0x1.7b40bd2e4c264p-1,
     -0x1.3693c9bdbcd88p-59)
CASE(sinc, 0x1.fffffffffffffp-2, 0x0.0p+0, 0x1.45f306dc9c883p-1,
     0x1.20e42165220afp-55)
CASE(sinc, 0x1.p-1, 0x0.0p+0, 0x1.45f306dc9c883p-1,
     -0x1.6b01ec5417056p-55)
CASE(sinc, 0x1.0000000000001p-1, 0x0.0p+0, 0x1.45f306dc9c881p-1,
     0x1.7d31f83976d9ep-55)
CASE(sinc, 0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.p-53,
     0x1.fffffffffffffp-107)
CASE(sinc, 0x1.p+0, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.0000000000001p+0, 0x0.0p+0, -0x1.ffffffffffffep-53,
     0x1.4a34cc4a60fa5p-157)
CASE(sinc, 0x1.8000000000000p+0, 0x0.0p+0, -0x1.b2995e7b7b604p-3,
     0x1.e40290701eb1ep-57)
CASE(sinc, 0x1.p+1, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.4000000000000p+1, 0x0.0p+0, 0x1.04c26be3b06cfp-3,
     -0x1.566c8dd9e3448p-59)
CASE(sinc, 0x1.8000000000000p+1, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.9000000000000p+6, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.fffffffffffffp+29, 0x0.0p+0, -0x1.fffffffffff2ep-54,
     -0x1.cb33b59f0bffep-108)
CASE(sinc, 0x1.p+30, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.0000000000001p+30, 0x0.0p+0, 0x1.ffffffffffcb4p-53,
     -0x1.a662530701aeap-108)
CASE(sinc, 0x1.0f0cf064dd592p+73, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.p-27, 0x0.0p+0, 0x1.fffffffffffffp-1,
     0x1.6b96676b3e0b4p-56)
CASE(sinc, 0x1.p-60, 0x0.0p+0, 0x1.p+0,
     -0x1.a51a6625307d3p-120)
CASE(sinc, 0x1.p-500, 0x0.0p+0, 0x1.p+0,
     -0x1.a51a6625307d3p-1000)
CASE(sinc, 0x1.p-1022, 0x0.0p+0, 0x1.p+0,
     -0x0.0p+0)
CASE(sinc, 0x0.0000000006000p-1022, 0x0.0p+0, 0x1.p+0,
     -0x0.0p+0)
CASE(sinc, 0x0.0000000000001p-1022, 0x0.0p+0, 0x1.p+0,
     -0x0.0p+0)
CASE(sinc, 0x1.fffffffffffffp+1023, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.5000000000000p+3, 0x0.0p+0, 0x1.f0af47688d004p-6,
     0x1.ffd11c9017ddfp-64)
CASE(sinc, 0x1.6000000000000p+4, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.7ffff00000000p+2, 0x0.0p+0, -0x1.5555638e1663cp-21,
     0x1.e5117c37a8316p-75)
CASE(sinc, 0x1.6200000000000p+9, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(sinc, 0x1.7400000000000p+9, 0x0.0p+0, 0x0.0p+0,
     0x0.0p+0)
CASE(pow, 0x1.6ac5b262ca1ffp+849, 0x1.e0000000001c2p-20, 0x1.00450a383cfd7p+0,
     -0x1.05e68d457770bp-56)
CASE(pow, 0x1.9e9cbbfd6080bp-31, 0x1.6a09e667f3bcdp-1, 0x1.7c73710e549f6p-22,
     -0x1.3b11956f9a088p-78)
CASE(pow, 0x1.62a88613629b6p+678, 0x1.0000000000001p-1, 0x1.2d5166fde510fp+339,
     0x1.7267f3794944ap+281)
CASE(pow, 0x1.e0000000001c2p-20, 0x1.8000000000000p+1, 0x1.a5e00000004a3p-58,
     -0x1.e7fffffee9e89p-112)
CASE(pow, 0x1.921fb54442d18p+1, 0x1.6000000000000p+4, 0x1.42723cf5ffb34p+36,
     0x1.5543c6b75212dp-18)
CASE(pow, 0x1.2d97c7f3321d2p+2, 0x1.e0000000001c2p-20, 0x1.00002e8183991p+0,
     0x1.036d7612b5924p-55)
CASE(pow, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.af9b17d33b266p-1,
     0x1.a77c4a87c0900p-55)
CASE(pow, 0x1.6a09e667f3bccp+0, 0x1.0000000000001p-1, 0x1.306fe0a31b715p+0,
     0x1.2f215b6213b76p-55)
CASE(pow, 0x1.6a09e667f3bcdp+0, 0x1.8000000000000p+1, 0x1.6a09e667f3bcep+1,
     -0x1.08b2fb1366ea6p-54)
CASE(pow, 0x1.62e42fefa39efp-2, 0x1.6000000000000p+4, 0x1.4a2fe382f66e4p-34,
     -0x1.b8e8400a56b0dp-88)
CASE(pow, 0x1.62e42fefa39f0p-2, 0x1.e0000000001c2p-20, 0x1.ffffc06ba2e26p-1,
     0x1.414261977b6bep-56)
CASE(pow, 0x1.a827999fcef32p-2, 0x1.6a09e667f3bcdp-1, 0x1.128a68e4887dbp-1,
     0x1.c12d247c92af7p-56)
CASE(pow, 0x1.a827999fcef31p-2, 0x1.0000000000001p-1, 0x1.49852f983efdcp-1,
     0x1.25604e6a84b05p-55)
CASE(pow, 0x1.fffffffffffffp-2, 0x1.8000000000000p+1, 0x1.ffffffffffffdp-4,
     0x1.8000000000000p-108)
CASE(pow, 0x1.0000000000001p-1, 0x1.6000000000000p+4, 0x1.0000000000016p-22,
     0x1.ce0000000000cp-119)
CASE(pow, 0x1.8000000000000p+0, 0x1.8000000000000p+1, 0x1.b000000000000p+1,
     0x0.0p+0)
CASE(pow, 0x1.4000000000000p+1, 0x1.6000000000000p+4, 0x1.0f0cf064dd592p+29,
     0x0.0p+0)
CASE(pow, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0x1.000020f559c52p+0,
     0x1.4108a255313d8p-54)
CASE(pow, 0x1.9000000000000p+6, 0x1.6a09e667f3bcdp-1, 0x1.9f45d9e9467ddp+4,
     0x1.8d716a0d340e5p-50)
CASE(pow, 0x1.fffffffffffffp+29, 0x1.0000000000001p-1, 0x1.000000000000ap+15,
     0x1.2d7b3c2a595aap-40)
CASE(pow, 0x1.p+30, 0x1.8000000000000p+1, 0x1.p+90,
     0x0.0p+0)
CASE(pow, 0x1.p-27, 0x1.e0000000001c2p-20, 0x1.fffb9d1ecfa98p-1,
     -0x1.cc84079467b31p-55)
CASE(pow, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 0x1.7cfc5867c6c67p-43,
     -0x1.4883c4f27cdc6p-97)
CASE(pow, 0x1.p-500, 0x1.0000000000001p-1, 0x1.ffffffffffea5p-251,
     0x1.b4a4bfe8f86c8p-305)
CASE(pow, 0x1.fffffffffffffp+1023, 0x1.e0000000001c2p-20, 0x1.00533afff5eebp+0,
     0x1.4e6cb4f70d864p-56)
CASE(pow, 0x1.5000000000000p+3, 0x1.6a09e667f3bcdp-1, 0x1.517f381b1c3d4p+2,
     0x1.881efa16e6240p-52)
CASE(pow, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0x1.2c2fc595456a9p+2,
     -0x1.8bb392469b67dp-52)
CASE(pow, 0x1.7ffff00000000p+2, 0x1.8000000000000p+1, 0x1.afffca0002400p+7,
     -0x1.0000000000000p-54)
CASE(pow, 0x1.7400000000000p+9, 0x1.6000000000000p+4, 0x1.d1219506b41c0p+209,
     0x1.d8f33656f2a50p+155)
CASE(pow, 0x1.8000000000000p+1, 0x1.4000000000000p+1, 0x1.f2d4a45635640p+3,
     -0x1.eebaeea670bc2p-52)
CASE(pow, 0x1.4000000000000p+3, 0x1.6000000000000p+4, 0x1.0f0cf064dd592p+73,
     0x0.0p+0)
CASE(pow, 0x1.199999999999ap+0, -0x1.2c40000000000p+8, 0x1.a417f61e6e50bp-42,
     0x1.6b3c5e1f2671ap-97)
CASE(pow, 0x1.0000000000001p+0, 0x1.bc16d674ec800p+59, 0x1.44a12826f5073p+320,
     0x1.519d69d6e0010p+264)
CASE(pow, 0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.a5e0000000000p+8,
     0x0.0p+0)
CASE(atan2, 0x1.6ac5b262ca1ffp+849, 0x1.e0000000001c2p-20, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(atan2, 0x1.9e9cbbfd6080bp-31, 0x1.6a09e667f3bcdp-1, 0x1.252cd540098a1p-30,
     0x1.ac42665528804p-88)
CASE(atan2, 0x1.62a88613629b6p+678, 0x1.0000000000001p-1, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(atan2, 0x1.e0000000001c2p-20, 0x1.8000000000000p+1, 0x1.3fffffffffe91p-21,
     0x1.55555555f1955p-75)
CASE(atan2, 0x1.921fb54442d18p+0, 0x1.p-60, 0x1.921fb54442d18p+0,
     0x1.17d67d238c876p-54)
CASE(atan2, 0x1.921fb54442d18p+1, 0x1.6000000000000p+4, 0x1.227d641a45b74p-3,
     0x1.72930399bc2f0p-60)
CASE(atan2, 0x1.2d97c7f3321d2p+2, 0x1.e0000000001c2p-20, 0x1.921faee683af3p+0,
     0x1.56b5ca8623263p-54)
CASE(atan2, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.acf4f8f89f7b6p-1,
     -0x1.2ea9fbbad95ebp-55)
CASE(atan2, 0x1.6a09e667f3bccp+0, 0x1.0000000000001p-1, 0x1.3b2028082e8d3p+0,
     0x1.29e1858538ef3p-54)
CASE(atan2, 0x1.6a09e667f3bcdp+0, 0x1.8000000000000p+1, 0x1.c3153a2c93ec9p-2,
     0x1.442473e14f26dp-56)
CASE(atan2, 0x1.6a09e667f3bcdp-1, 0x1.p-60, 0x1.921fb54442d18p+0,
     0x1.14ba3b97a5f18p-54)
CASE(atan2, 0x1.62e42fefa39efp-2, 0x1.6000000000000p+4, 0x1.0214da5c6deadp-6,
     -0x1.524dac8867039p-60)
CASE(atan2, 0x1.62e42fefa39f0p-2, 0x1.e0000000001c2p-20, 0x1.921f5eb477162p+0,
     0x1.2172650c652a3p-54)
CASE(atan2, 0x1.a827999fcef32p-2, 0x1.6a09e667f3bcdp-1, 0x1.0f4f6b200fc57p-1,
     0x1.2fe4c15237401p-55)
CASE(atan2, 0x1.a827999fcef31p-2, 0x1.0000000000001p-1, 0x1.62384dc39930ep-1,
     0x1.d04fdd8c9a16fp-55)
CASE(atan2, 0x1.fffffffffffffp-2, 0x1.8000000000000p+1, 0x1.52397843c9addp-3,
     -0x1.d28b52b16a646p-58)
CASE(atan2, 0x1.p-1, 0x1.p-60, 0x1.921fb54442d18p+0,
     0x1.1262633145c07p-54)
CASE(atan2, 0x1.0000000000001p-1, 0x1.6000000000000p+4, 0x1.744caeeae2303p-6,
     -0x1.1568704dc115cp-61)
CASE(atan2, 0x1.fffffffffffffp-1, 0x1.e0000000001c2p-20, 0x1.921f974442d18p+0,
     0x1.22bba73145af7p-54)
CASE(atan2, 0x1.p+0, 0x1.6a09e667f3bcdp-1, 0x1.e91f42805715dp-1,
     -0x1.e09fe1d241c33p-55)
CASE(atan2, 0x1.0000000000001p+0, 0x1.0000000000001p-1, 0x1.1b6e192ebbe44p+0,
     0x1.b1b466a88828ep-54)
CASE(atan2, 0x1.8000000000000p+0, 0x1.8000000000000p+1, 0x1.dac670561bb4fp-2,
     0x1.a2b7f222f65e2p-56)
CASE(atan2, 0x1.p+1, 0x1.p-60, 0x1.921fb54442d18p+0,
     0x1.1862633145c07p-54)
CASE(atan2, 0x1.4000000000000p+1, 0x1.6000000000000p+4, 0x1.cf7767571017ep-4,
     0x1.f8815c0968b94p-58)
CASE(atan2, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0x1.921fab4442d18p+0,
     0x1.1a9038869b15cp-54)
CASE(atan2, 0x1.9000000000000p+6, 0x1.6a09e667f3bcdp-1, 0x1.90504e6969ae3p+0,
     0x1.937fd54912e83p-54)
CASE(atan2, 0x1.fffffffffffffp+29, 0x1.0000000000001p-1, 0x1.921fb54242d18p+0,
     0x1.1a626325466b2p-54)
CASE(atan2, 0x1.p+30, 0x1.8000000000000p+1, 0x1.921fb53842d18p+0,
     0x1.1a626331d5c07p-54)
CASE(atan2, 0x1.0000000000001p+30, 0x1.p-60, 0x1.921fb54442d18p+0,
     0x1.1a62633135c07p-54)
CASE(atan2, 0x1.0f0cf064dd592p+73, 0x1.6000000000000p+4, 0x1.921fb54442d18p+0,
     0x1.1a5fca48845e7p-54)
CASE(atan2, 0x1.p-27, 0x1.e0000000001c2p-20, 0x1.1110a98132e39p-8,
     -0x1.d16aacb48f0e0p-66)
CASE(atan2, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bccp-60,
     0x1.08b2fb1366eaap-115)
CASE(atan2, 0x1.p-500, 0x1.0000000000001p-1, 0x1.ffffffffffffep-500,
     0x1.ffffffffffffep-604)
CASE(atan2, 0x0.0000000006000p-1022, 0x1.p-60, 0x1.8000000000000p-1000,
     -0x0.0p+0)
CASE(atan2, 0x1.fffffffffffffp+1023, 0x1.e0000000001c2p-20, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(atan2, 0x1.5000000000000p+3, 0x1.6a09e667f3bcdp-1, 0x1.80e8f02154f5bp+0,
     0x1.efbd8ac7be422p-56)
CASE(atan2, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0x1.8c4e82889748cp+0,
     0x1.d91a6823c2853p-55)
CASE(atan2, 0x1.7ffff00000000p+2, 0x1.8000000000000p+1, 0x1.1b6e14ea777bap+0,
     -0x1.8ae02ae238ad1p-54)
CASE(atan2, 0x1.6200000000000p+9, 0x1.p-60, 0x1.921fb54442d18p+0,
     0x1.1a60f0eebdcc0p-54)
CASE(atan2, 0x1.7400000000000p+9, 0x1.6000000000000p+4, 0x1.8a8e614f985e9p+0,
     -0x1.0a9c0cc25f4efp-54)
CASE(atan2, 0x1.8000000000000p+1, 0x1.4000000000000p+1, 0x1.c08aae496efa6p-1,
     0x1.f764c1b7ab78bp-58)
CASE(atan2, 0x1.4000000000000p+3, 0x1.6000000000000p+4, 0x1.b4ddd66a37b40p-2,
     -0x1.4022cb817b68cp-62)
CASE(atan2, 0x1.199999999999ap+0, -0x1.2c40000000000p+8, 0x1.91a7a8c90b01fp+1,
     -0x1.1ee6f3daa23c7p-54)
CASE(atan2, 0x1.ccccccccccccdp-1, 0x1.b580000000000p+12, 0x1.0da2427dec5cdp-13,
     0x1.0fe4ebe13a154p-69)
CASE(atan2, 0x1.0000000000001p+0, 0x1.bc16d674ec800p+59, 0x1.2725dd1d243adp-60,
     -0x1.bf9617e4afc7fp-115)
CASE(atan2, 0x1.999999999999ap-4, 0x1.434cccccccccdp+8, 0x1.4455d509c6e1dp-12,
     -0x1.c5e31492a2257p-68)
CASE(atan2, 0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.30b6d796a4da8p+0,
     0x1.6254cb03bb199p-54)
CASE(atan2, -0x1.e000000000000p+2, 0x1.8000000000000p+1, -0x1.30b6d796a4da8p+0,
     -0x1.6254cb03bb199p-54)
CASE(atan2, 0x1.7e43c8800759cp+996, 0x1.c000000000000p+2, 0x1.921fb54442d18p+0,
     0x1.1a62633145c07p-54)
CASE(atan2, -0x1.7e43c8800759cp+996, 0x1.3333333333333p-2, -0x1.921fb54442d18p+0,
     -0x1.1a62633145c07p-54)
CASE(atan2, 0x0.00000000007e8p-1022, 0x0.000000000025fp-1022, 0x1.4788bca7bb0bcp+0,
     0x1.b777b8cded510p-54)
CASE(hypot, 0x1.6ac5b262ca1ffp+849, 0x1.e0000000001c2p-20, 0x1.6ac5b262ca1ffp+849,
     0x1.3d8dfaabbb2dcp-889)
CASE(hypot, 0x1.9e9cbbfd6080bp-31, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1,
     0x1.dad1ff796e0bdp-62)
CASE(hypot, 0x1.62a88613629b6p+678, 0x1.0000000000001p-1, 0x1.62a88613629b6p+678,
     0x1.71929809c489cp-682)
CASE(hypot, 0x1.e0000000001c2p-20, 0x1.8000000000000p+1, 0x1.80000000004b0p+1,
     0x1.76fffffffff8bp-87)
CASE(hypot, 0x1.921fb54442d18p+0, 0x1.p-60, 0x1.921fb54442d18p+0,
     0x1.45f306dc9c883p-122)
CASE(hypot, 0x1.921fb54442d18p+1, 0x1.6000000000000p+4, 0x1.6392223ea9dabp+4,
     -0x1.45663e457cc9fp-51)
CASE(hypot, 0x1.2d97c7f3321d2p+2, 0x1.e0000000001c2p-20, 0x1.2d97c7f332350p+2,
     -0x1.ccfd5e1cb14f0p-56)
CASE(hypot, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.0e8b30a6e9181p+0,
     0x1.acf6961046ee7p-54)
CASE(hypot, 0x1.6a09e667f3bccp+0, 0x1.0000000000001p-1, 0x1.8000000000000p+0,
     -0x1.76711678071ebp-54)
CASE(hypot, 0x1.6a09e667f3bcdp+0, 0x1.8000000000000p+1, 0x1.a887293fd6f34p+1,
     0x1.72914d7f46ad7p-54)
CASE(hypot, 0x1.6a09e667f3bcdp-1, 0x1.p-60, 0x1.6a09e667f3bcdp-1,
     0x1.6a09e667f3bccp-121)
CASE(hypot, 0x1.62e42fefa39efp-2, 0x1.6000000000000p+4, 0x1.600b2e462d7f2p+4,
     -0x1.43d3b3b7c5c53p-51)
CASE(hypot, 0x1.62e42fefa39f0p-2, 0x1.e0000000001c2p-20, 0x1.62e42fefb7e8bp-2,
     0x1.dff55606a57a6p-57)
CASE(hypot, 0x1.a827999fcef32p-2, 0x1.6a09e667f3bcdp-1, 0x1.a394ea0b486d3p-1,
     -0x1.629c8a3068739p-58)
CASE(hypot, 0x1.a827999fcef31p-2, 0x1.0000000000001p-1, 0x1.4c6f458bf39a2p-1,
     0x1.4393f7cff04b0p-56)
CASE(hypot, 0x1.fffffffffffffp-2, 0x1.8000000000000p+1, 0x1.854bfb363dc39p+1,
     0x1.7e8ef5fa8b1c8p-53)
CASE(hypot, 0x1.p-1, 0x1.p-60, 0x1.p-1,
     0x1.0000000000000p-120)
CASE(hypot, 0x1.0000000000001p-1, 0x1.6000000000000p+4, 0x1.6017450c8d7f9p+4,
     0x1.9cd4dbd33bf11p-53)
CASE(hypot, 0x1.fffffffffffffp-1, 0x1.e0000000001c2p-20, 0x1.0000000001c1fp+0,
     0x1.ffffffaa52040p-54)
CASE(hypot, 0x1.p+0, 0x1.6a09e667f3bcdp-1, 0x1.3988e1409212fp+0,
     -0x1.8b409ec32a698p-54)
CASE(hypot, 0x1.0000000000001p+0, 0x1.0000000000001p-1, 0x1.1e3779b97f4a9p+0,
     -0x1.034a63d3d57dbp-55)
CASE(hypot, 0x1.8000000000000p+0, 0x1.8000000000000p+1, 0x1.ad5336963eefcp+1,
     -0x1.77c4a537dbdd2p-53)
CASE(hypot, 0x1.p+1, 0x1.p-60, 0x1.p+1,
     0x1.0000000000000p-122)
CASE(hypot, 0x1.4000000000000p+1, 0x1.6000000000000p+4, 0x1.6243f3b15e704p+4,
     -0x1.cce1b4dbef261p-50)
CASE(hypot, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0x1.80000000004b0p+1,
     0x1.76fffffffff8bp-87)
CASE(hypot, 0x1.9000000000000p+6, 0x1.6a09e667f3bcdp-1, 0x1.90028f5a101a4p+6,
     -0x1.f256761bb83b6p-50)
CASE(hypot, 0x1.fffffffffffffp+29, 0x1.0000000000001p-1, 0x1.fffffffffffffp+29,
     0x1.0000000000002p-33)
CASE(hypot, 0x1.p+30, 0x1.8000000000000p+1, 0x1.p+30,
     0x1.2000000000000p-28)
CASE(hypot, 0x1.0000000000001p+30, 0x1.p-60, 0x1.0000000000001p+30,
     0x1.ffffffffffffep-152)
CASE(hypot, 0x1.0f0cf064dd592p+73, 0x1.6000000000000p+4, 0x1.0f0cf064dd592p+73,
     0x1.c92004f3617b5p-66)
CASE(hypot, 0x1.p-27, 0x1.e0000000001c2p-20, 0x1.e0011110c3814p-20,
     0x1.949cfa50ad526p-76)
CASE(hypot, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1,
     0x1.6a09e667f3bccp-121)
CASE(hypot, 0x1.p-500, 0x1.0000000000001p-1, 0x1.0000000000001p-1,
     0x1.ffffffffffffep-1001)
CASE(hypot, 0x1.p-1022, 0x1.8000000000000p+1, 0x1.8000000000000p+1,
     0x0.0p+0)
CASE(hypot, 0x0.0000000006000p-1022, 0x1.p-60, 0x1.p-60,
     0x0.0p+0)
CASE(hypot, 0x0.0000000000001p-1022, 0x1.6000000000000p+4, 0x1.6000000000000p+4,
     0x0.0p+0)
CASE(hypot, 0x1.5000000000000p+3, 0x1.6a09e667f3bcdp-1, 0x1.50c2d3b4be170p+3,
     0x1.ecc805695c07bp-51)
CASE(hypot, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0x1.6017450c8d7f9p+4,
     0x1.9cd4dbd33bf11p-53)
CASE(hypot, 0x1.7ffff00000000p+2, 0x1.8000000000000p+1, 0x1.ad532846ac1c2p+2,
     -0x1.02cdfeff87e6ap-53)
CASE(hypot, 0x1.6200000000000p+9, 0x1.p-60, 0x1.6200000000000p+9,
     0x1.724287f46debcp-131)
CASE(hypot, 0x1.7400000000000p+9, 0x1.6000000000000p+4, 0x1.7429a0146a726p+9,
     -0x1.165586031f79ap-46)
CASE(hypot, 0x1.8000000000000p+1, 0x1.4000000000000p+1, 0x1.f3db2174e7468p+1,
     0x1.e15132d6ac52ap-53)
CASE(hypot, 0x1.4000000000000p+3, 0x1.6000000000000p+4, 0x1.82a8500794e6cp+4,
     -0x1.2edaa75e6ac5fp-51)
CASE(hypot, 0x1.199999999999ap+0, -0x1.2c40000000000p+8, 0x1.2c40840dc46b7p+8,
     -0x1.8d295c37daa66p-46)
CASE(hypot, 0x1.ccccccccccccdp-1, 0x1.b580000000000p+12, 0x1.b580003caae89p+12,
     0x1.dea5beb2a3185p-45)
CASE(hypot, 0x1.0000000000001p+0, 0x1.bc16d674ec800p+59, 0x1.bc16d674ec800p+59,
     0x1.2725dd1d243aep-61)
CASE(hypot, 0x1.999999999999ap-4, 0x1.434cccccccccdp+8, 0x1.434ccdd044aa9p+8,
     0x1.0832052a17a1cp-46)
CASE(hypot, 0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.027ce7b7ea376p+3,
     0x1.fc5b2acd40e23p-51)
CASE(hypot, -0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.027ce7b7ea376p+3,
     0x1.fc5b2acd40e23p-51)
CASE(hypot, 0x1.7e43c8800759cp+996, 0x1.c000000000000p+2, 0x1.7e43c8800759cp+996,
     0x1.0685051469a50p-992)
CASE(hypot, -0x1.7e43c8800759cp+996, 0x1.3333333333333p-2, 0x1.7e43c8800759cp+996,
     0x1.edc04c6d720fap-1002)
CASE(mod, 0x1.6ac5b262ca1ffp+849, 0x1.e0000000001c2p-20, 0x1.518a8c3882b22p-20,
     0x0.0p+0)
CASE(mod, 0x1.9e9cbbfd6080bp-31, 0x1.6a09e667f3bcdp-1, 0x1.9e9cbbfd6080bp-31,
     0x0.0p+0)
CASE(mod, 0x1.62a88613629b6p+678, 0x1.0000000000001p-1, 0x1.d5779ec9d64b8p-2,
     0x0.0p+0)
CASE(mod, 0x1.e0000000001c2p-20, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20,
     0x0.0p+0)
CASE(mod, 0x1.921fb54442d18p+0, 0x1.p-60, 0x0.0p+0,
     0x0.0p+0)
CASE(mod, 0x1.921fb54442d18p+1, 0x1.6000000000000p+4, 0x1.921fb54442d18p+1,
     0x0.0p+0)
CASE(mod, 0x1.2d97c7f3321d2p+2, 0x1.e0000000001c2p-20, 0x1.bccc82dd06ec4p-20,
     0x0.0p+0)
CASE(mod, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.40ae76e278a58p-4,
     0x0.0p+0)
CASE(mod, 0x1.6a09e667f3bccp+0, 0x1.0000000000001p-1, 0x1.a827999fcef2cp-2,
     0x0.0p+0)
CASE(mod, 0x1.6a09e667f3bcdp+0, 0x1.8000000000000p+1, 0x1.6a09e667f3bcdp+0,
     0x0.0p+0)
CASE(mod, 0x1.6a09e667f3bcdp-1, 0x1.p-60, 0x0.0p+0,
     0x0.0p+0)
CASE(mod, 0x1.62e42fefa39efp-2, 0x1.6000000000000p+4, 0x1.62e42fefa39efp-2,
     0x0.0p+0)
CASE(mod, 0x1.62e42fefa39f0p-2, 0x1.e0000000001c2p-20, 0x1.dfbe8e28d2a0ep-20,
     0x0.0p+0)
CASE(mod, 0x1.a827999fcef32p-2, 0x1.6a09e667f3bcdp-1, 0x1.a827999fcef32p-2,
     0x0.0p+0)
CASE(mod, 0x1.a827999fcef31p-2, 0x1.0000000000001p-1, 0x1.a827999fcef31p-2,
     0x0.0p+0)
CASE(mod, 0x1.fffffffffffffp-2, 0x1.8000000000000p+1, 0x1.fffffffffffffp-2,
     0x0.0p+0)
CASE(mod, 0x1.p-1, 0x1.p-60, 0x0.0p+0,
     0x0.0p+0)
CASE(mod, 0x1.0000000000001p-1, 0x1.6000000000000p+4, 0x1.0000000000001p-1,
     0x0.0p+0)
CASE(mod, 0x1.fffffffffffffp-1, 0x1.e0000000001c2p-20, 0x1.fffffe1f001e0p-21,
     0x0.0p+0)
CASE(mod, 0x1.p+0, 0x1.6a09e667f3bcdp-1, 0x1.2bec333018866p-2,
     0x0.0p+0)
CASE(mod, 0x1.0000000000001p+0, 0x1.0000000000001p-1, 0x0.0p+0,
     0x0.0p+0)
CASE(mod, 0x1.8000000000000p+0, 0x1.8000000000000p+1, 0x1.8000000000000p+0,
     0x0.0p+0)
CASE(mod, 0x1.p+1, 0x1.p-60, 0x0.0p+0,
     0x0.0p+0)
CASE(mod, 0x1.4000000000000p+1, 0x1.6000000000000p+4, 0x1.4000000000000p+1,
     0x0.0p+0)
CASE(mod, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0x1.1ffffd300010ep-20,
     0x0.0p+0)
CASE(mod, 0x1.9000000000000p+6, 0x1.6a09e667f3bcdp-1, 0x1.3118317d8202ep-2,
     0x0.0p+0)
CASE(mod, 0x1.fffffffffffffp+29, 0x1.0000000000001p-1, 0x1.ffffe80000002p-2,
     0x0.0p+0)
CASE(mod, 0x1.p+30, 0x1.8000000000000p+1, 0x1.p+0,
     0x0.0p+0)
CASE(mod, 0x1.0000000000001p+30, 0x1.p-60, 0x0.0p+0,
     0x0.0p+0)
CASE(mod, 0x1.0f0cf064dd592p+73, 0x1.6000000000000p+4, 0x1.8000000000000p+3,
     0x0.0p+0)
CASE(mod, 0x1.p-27, 0x1.e0000000001c2p-20, 0x1.p-27,
     0x0.0p+0)
CASE(mod, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 0x1.p-60,
     0x0.0p+0)
CASE(mod, 0x1.p-500, 0x1.0000000000001p-1, 0x1.p-500,
     0x0.0p+0)
CASE(mod, 0x1.p-1022, 0x1.8000000000000p+1, 0x1.p-1022,
     0x0.0p+0)
CASE(mod, 0x1.fffffffffffffp+1023, 0x1.e0000000001c2p-20, 0x1.e04c24a530150p-21,
     0x0.0p+0)
CASE(mod, 0x1.5000000000000p+3, 0x1.6a09e667f3bcdp-1, 0x1.33756650abacap-1,
     0x0.0p+0)
CASE(mod, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0x1.fffffffffffaap-2,
     0x0.0p+0)
CASE(mod, 0x1.7ffff00000000p+2, 0x1.8000000000000p+1, 0x1.7fffe00000000p+1,
     0x0.0p+0)
CASE(mod, 0x1.6200000000000p+9, 0x1.p-60, 0x0.0p+0,
     0x0.0p+0)
CASE(mod, 0x1.7400000000000p+9, 0x1.6000000000000p+4, 0x1.2000000000000p+4,
     0x0.0p+0)
CASE(mod, 0x1.8000000000000p+1, 0x1.4000000000000p+1, 0x1.p-1,
     0x0.0p+0)
CASE(mod, 0x1.4000000000000p+3, 0x1.6000000000000p+4, 0x1.4000000000000p+3,
     0x0.0p+0)
CASE(mod, 0x1.199999999999ap+0, -0x1.2c40000000000p+8, -0x1.2b26666666666p+8,
     -0x1.9800000000000p-46)
CASE(mod, 0x1.ccccccccccccdp-1, 0x1.b580000000000p+12, 0x1.ccccccccccccdp-1,
     0x0.0p+0)
CASE(mod, 0x1.0000000000001p+0, 0x1.bc16d674ec800p+59, 0x1.0000000000001p+0,
     0x0.0p+0)
CASE(mod, 0x1.999999999999ap-4, 0x1.434cccccccccdp+8, 0x1.999999999999ap-4,
     0x0.0p+0)
CASE(mod, 0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.8000000000000p+0,
     0x0.0p+0)
CASE(mod, -0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.8000000000000p+0,
     0x0.0p+0)
CASE(mod, 0x1.7e43c8800759cp+996, 0x1.c000000000000p+2, 0x1.p+0,
     0x0.0p+0)
CASE(mod, -0x1.7e43c8800759cp+996, 0x1.3333333333333p-2, 0x1.2c9bc7679e5b4p-3,
     0x0.0p+0)
=======
CASE(sin, 0x1.6ac5b262ca1ffp+849, 0, 0x1.p+0, -1.098e-37)
CASE(sin, 0x1.9e9cbbfd6080bp-31, 0, 0x1.9e9cbbfd6080bp-31, -7.149e-29)
CASE(sin, 0x1.62a88613629b6p+678, 0, -0x1.85db4a70a3364p-2, 1.52e-17)
CASE(sin, 0x1.e0000000001c2p-20, 0, 0x1.dfffffffff02ep-20, 2.088e-44)
CASE(sin, 0x1.921fb54442d18p+0, 0, 0x1.p+0, -1.875e-33)
CASE(sin, 0x1.921fb54442d18p+1, 0, 0x1.1a62633145c07p-53, -2.995e-33)
CASE(sin, 0x1.2d97c7f3321d2p+2, 0, -0x1.p+0, 1.687e-32)
CASE(sin, 0x1.921fb54442d18p-1, 0, 0x1.6a09e667f3bccp-1, 4.104e-17)
CASE(sin, 0x1.6a09e667f3bccp+0, 0, 0x1.f9bc75444858ap-1, 2.405e-17)
CASE(sin, 0x1.6a09e667f3bcdp+0, 0, 0x1.f9bc75444858bp-1, -5.235e-17)
CASE(sin, 0x1.6a09e667f3bcdp-1, 0, 0x1.4c9d367f3eacep-1, -1.342e-19)
CASE(sin, 0x1.62e42fefa39efp-2, 0, 0x1.5bd451fe0fa0dp-2, 2.408e-17)
CASE(sin, 0x1.62e42fefa39f0p-2, 0, 0x1.5bd451fe0fa0ep-2, 2.078e-17)
CASE(sin, 0x1.a827999fcef32p-2, 0, 0x1.9c2120ce8a147p-2, -1.459e-17)
CASE(sin, 0x1.a827999fcef31p-2, 0, 0x1.9c2120ce8a146p-2, -9.897e-18)
CASE(sin, 0x1.fffffffffffffp-2, 0, 0x1.eaee8744b05efp-2, 1.692e-18)
CASE(sin, 0x1.p-1, 0, 0x1.eaee8744b05f0p-2, -5.104e-18)
CASE(sin, 0x1.0000000000001p-1, 0, 0x1.eaee8744b05f2p-2, -1.87e-17)
CASE(sin, 0x1.fffffffffffffp-1, 0, 0x1.aed548f090cedp-1, 5.281e-17)
CASE(sin, 0x1.p+0, 0, 0x1.aed548f090ceep-1, 1.777e-18)
CASE(sin, 0x1.0000000000001p+0, 0, 0x1.aed548f090cefp-1, 1.073e-17)
CASE(sin, 0x1.8000000000000p+0, 0, 0x1.feb7a9b2c6d8bp-1, -1.456e-17)
CASE(sin, 0x1.p+1, 0, 0x1.d18f6ead1b446p-1, -1.402e-17)
CASE(sin, 0x1.4000000000000p+1, 0, 0x1.326af0dcfcab1p-1, -5.521e-17)
CASE(sin, 0x1.8000000000000p+1, 0, 0x1.210386db6d55bp-3, 8.577e-18)
CASE(sin, 0x1.9000000000000p+6, 0, -0x1.03425b78c4db8p-1, -3.051e-18)
CASE(sin, 0x1.fffffffffffffp+29, 0, -0x1.3c12385cbf55dp-1, 1.912e-18)
CASE(sin, 0x1.p+30, 0, -0x1.3c12353728cafp-1, -3.897e-17)
CASE(sin, 0x1.0000000000001p+30, 0, -0x1.3c122eebfba67p-1, -3.79e-18)
CASE(sin, 0x1.0f0cf064dd592p+73, 0, -0x1.b453ab76bf397p-1, -6.781e-18)
CASE(sin, 0x1.p-27, 0, 0x1.p-27, -6.893e-26)
CASE(sin, 0x1.p-60, 0, 0x1.p-60, -1.088e-55)
CASE(sin, 0x1.p-500, 0, 0x1.p-500, -0)
CASE(sin, 0x1.fffffffffffffp+1023, 0, 0x1.452fc98b34e97p-8, -2.505e-19)
CASE(sin, 0x1.5000000000000p+3, 0, -0x1.c2677b8f04315p-1, -5.424e-17)
CASE(sin, 0x1.6000000000000p+4, 0, -0x1.220a29f6eb9f4p-7, 2.849e-19)
CASE(sin, 0x1.7ffff00000000p+2, 0, -0x1.1e200e78b986dp-2, 2.286e-17)
CASE(sin, 0x1.6200000000000p+9, 0, -0x1.d192b87763e1fp-1, 3.014e-17)
CASE(sin, 0x1.7400000000000p+9, 0, 0x1.0edd385d0d316p-1, -4.87e-17)
CASE(cos, 0x1.6ac5b262ca1ffp+849, 0, -0x1.14ae72e6ba22fp-61, 4.372e-36)
CASE(cos, 0x1.9e9cbbfd6080bp-31, 0, 0x1.p+0, -2.844e-19)
CASE(cos, 0x1.62a88613629b6p+678, 0, -0x1.d9710d4684b9dp-1, -5.339e-17)
CASE(cos, 0x1.e0000000001c2p-20, 0, 0x1.fffffffffc7c0p-1, 2.556e-25)
CASE(cos, 0x1.921fb54442d18p+0, 0, 0x1.1a62633145c07p-54, -1.497e-33)
CASE(cos, 0x1.921fb54442d18p+1, 0, -0x1.p+0, 7.499e-33)
CASE(cos, 0x1.2d97c7f3321d2p+2, 0, -0x1.a79394c9e8a0ap-53, -7.834e-33)
CASE(cos, 0x1.921fb54442d18p-1, 0, 0x1.6a09e667f3bcdp-1, -2.669e-17)
CASE(cos, 0x1.6a09e667f3bccp+0, 0, 0x1.3f5f6868470bbp-3, 6.443e-18)
CASE(cos, 0x1.6a09e667f3bcdp+0, 0, 0x1.3f5f6868470b3p-3, 9.16e-18)
CASE(cos, 0x1.6a09e667f3bcdp-1, 0, 0x1.853ec7a2cd121p-1, 4.014e-17)
CASE(cos, 0x1.62e42fefa39efp-2, 0, 0x1.e18ebc184046ep-1, 2.977e-17)
CASE(cos, 0x1.62e42fefa39f0p-2, 0, 0x1.e18ebc184046ep-1, 1.092e-17)
CASE(cos, 0x1.a827999fcef32p-2, 0, 0x1.d4b3a66a78bd2p-1, 4.377e-18)
CASE(cos, 0x1.a827999fcef31p-2, 0, 0x1.d4b3a66a78bd2p-1, 2.672e-17)
CASE(cos, 0x1.fffffffffffffp-2, 0, 0x1.c1528065b7d50p-1, -1.601e-17)
CASE(cos, 0x1.p-1, 0, 0x1.c1528065b7d50p-1, -4.262e-17)
CASE(cos, 0x1.0000000000001p-1, 0, 0x1.c1528065b7d4fp-1, 1.517e-17)
CASE(cos, 0x1.fffffffffffffp-1, 0, 0x1.14a280fb5068cp-1, 4.581e-17)
CASE(cos, 0x1.p+0, 0, 0x1.14a280fb5068cp-1, -4.761e-17)
CASE(cos, 0x1.0000000000001p+0, 0, 0x1.14a280fb5068ap-1, -1.241e-17)
CASE(cos, 0x1.8000000000000p+0, 0, 0x1.21bd54fc5f9a7p-4, 3.684e-18)
CASE(cos, 0x1.p+1, 0, -0x1.aa22657537205p-2, 1.991e-17)
CASE(cos, 0x1.4000000000000p+1, 0, -0x1.9a2f7ef858b7dp-1, -1.867e-17)
CASE(cos, 0x1.8000000000000p+1, 0, -0x1.fae04be85e5d2p-1, -4.206e-17)
CASE(cos, 0x1.9000000000000p+6, 0, 0x1.b981dbf665fdfp-1, 4.335e-17)
CASE(cos, 0x1.fffffffffffffp+29, 0, 0x1.92cb4430fba6ap-1, 3.965e-17)
CASE(cos, 0x1.p+30, 0, 0x1.92cb46a920144p-1, -4.426e-17)
CASE(cos, 0x1.0000000000001p+30, 0, 0x1.92cb4b9968dc8p-1, -6.503e-19)
CASE(cos, 0x1.0f0cf064dd592p+73, 0, 0x1.0be2cef01c8f4p-1, -4.714e-17)
CASE(cos, 0x1.p-27, 0, 0x1.p+0, -2.776e-17)
CASE(cos, 0x1.p-60, 0, 0x1.p+0, -3.762e-37)
CASE(cos, 0x1.p-500, 0, 0x1.p+0, -4.666e-302)
CASE(cos, 0x1.p-1022, 0, 0x1.p+0, -0)
CASE(cos, 0x0.0000000006000p-1022, 0, 0x1.p+0, -0)
CASE(cos, 0x0.0000000000001p-1022, 0, 0x1.p+0, -0)
CASE(cos, 0x1.fffffffffffffp+1023, 0, -0x1.fffe62ecfab75p-1, -2.603e-17)
CASE(cos, 0x1.5000000000000p+3, 0, -0x1.e6f3270721e39p-2, -2.668e-17)
CASE(cos, 0x1.6000000000000p+4, 0, -0x1.fffadd8d4acdap-1, -8.516e-19)
CASE(cos, 0x1.7ffff00000000p+2, 0, 0x1.eb9b4cd38fbd2p-1, -3.286e-17)
CASE(cos, 0x1.6200000000000p+9, 0, -0x1.aa140679821ccp-2, -2.141e-17)
CASE(cos, 0x1.7400000000000p+9, 0, -0x1.b27bfbd71e458p-1, -5.31e-18)
CASE(tan, 0x1.6ac5b262ca1ffp+849, 0, -0x1.d9ba9a7975636p+60, 92.33)
CASE(tan, 0x1.9e9cbbfd6080bp-31, 0, 0x1.9e9cbbfd6080bp-31, 1.43e-28)
CASE(tan, 0x1.62a88613629b6p+678, 0, 0x1.a59b8bd470cefp-2, 1.483e-17)
CASE(tan, 0x1.e0000000001c2p-20, 0, 0x1.e0000000024eap-20, 2.742e-30)
CASE(tan, 0x1.921fb54442d18p+0, 0, 0x1.d02967c31cdb5p+53, -0.244)
CASE(tan, 0x1.921fb54442d18p+1, 0, -0x1.1a62633145c07p-53, 2.995e-33)
CASE(tan, 0x1.2d97c7f3321d2p+2, 0, 0x1.3570efd768923p+52, 0.252)
CASE(tan, 0x1.921fb54442d18p-1, 0, 0x1.fffffffffffffp-1, 4.979e-17)
CASE(tan, 0x1.6a09e667f3bccp+0, 0, 0x1.9562355bda6ddp+2, -1.836e-16)
CASE(tan, 0x1.6a09e667f3bcdp+0, 0, 0x1.9562355bda6e7p+2, 6.532e-17)
CASE(tan, 0x1.6a09e667f3bcdp-1, 0, 0x1.b582642f24e6ap-1, 3.825e-18)
CASE(tan, 0x1.62e42fefa39efp-2, 0, 0x1.71d166c7362d3p-2, 1.554e-17)
CASE(tan, 0x1.62e42fefa39f0p-2, 0, 0x1.71d166c7362d4p-2, 2.278e-17)
CASE(tan, 0x1.a827999fcef32p-2, 0, 0x1.c233988c6d0cep-2, 2.32e-17)
CASE(tan, 0x1.a827999fcef31p-2, 0, 0x1.c233988c6d0cdp-2, 1.247e-17)
CASE(tan, 0x1.fffffffffffffp-2, 0, 0x1.17b4f5bf3474ap-1, -4.298e-17)
CASE(tan, 0x1.p-1, 0, 0x1.17b4f5bf3474ap-1, 2.91e-17)
CASE(tan, 0x1.0000000000001p-1, 0, 0x1.17b4f5bf3474cp-1, -4.879e-17)
CASE(tan, 0x1.fffffffffffffp-1, 0, 0x1.8eb245cbee3a4p+0, 1.916e-18)
CASE(tan, 0x1.p+0, 0, 0x1.8eb245cbee3a6p+0, -6.186e-17)
CASE(tan, 0x1.0000000000001p+0, 0, 0x1.8eb245cbee3a9p+0, 3.262e-17)
CASE(tan, 0x1.8000000000000p+0, 0, 0x1.c33ed50b88777p+3, 6.27e-16)
CASE(tan, 0x1.p+1, 0, -0x1.17af62e0950f8p+1, -1.029e-16)
CASE(tan, 0x1.4000000000000p+1, 0, -0x1.7e79b4e00bb15p-1, 3.617e-17)
CASE(tan, 0x1.8000000000000p+1, 0, -0x1.23ef71254b86fp-3, -1.387e-18)
CASE(tan, 0x1.9000000000000p+6, 0, -0x1.2ca74d62b5d38p-1, 3.488e-17)
CASE(tan, 0x1.fffffffffffffp+29, 0, -0x1.91c3c79d80b42p-1, 4.892e-17)
CASE(tan, 0x1.p+30, 0, -0x1.91c3c126f9d13p-1, 5.261e-17)
CASE(tan, 0x1.0000000000001p+30, 0, -0x1.91c3b439ec482p-1, -2.061e-17)
CASE(tan, 0x1.0f0cf064dd592p+73, 0, -0x1.a0f79c1b6b257p+0, -1.011e-16)
CASE(tan, 0x1.p-27, 0, 0x1.p-27, 1.379e-25)
CASE(tan, 0x1.p-60, 0, 0x1.p-60, 2.175e-55)
CASE(tan, 0x1.p-500, 0, 0x1.p-500, 0)
CASE(tan, 0x1.p-1022, 0, 0x1.p-1022, 0)
CASE(tan, 0x1.fffffffffffffp+1023, 0, -0x1.4530cfe729484p-8, 2.411e-19)
CASE(tan, 0x1.5000000000000p+3, 0, 0x1.d9930bc49e27bp+0, -6.675e-17)
CASE(tan, 0x1.6000000000000p+4, 0, 0x1.220d129b73ef8p-7, -8.754e-20)
CASE(tan, 0x1.7ffff00000000p+2, 0, -0x1.29fe9c99b171bp-2, -1.604e-17)
CASE(tan, 0x1.6200000000000p+9, 0, 0x1.17bacb98d6f5dp+1, -1.386e-16)
CASE(tan, 0x1.7400000000000p+9, 0, -0x1.3f30484616bdfp-1, -3.122e-17)
CASE(asin, 0x1.9e9cbbfd6080bp-31, 0, 0x1.9e9cbbfd6080bp-31, 7.149e-29)
CASE(asin, 0x1.e0000000001c2p-20, 0, 0x1.e000000001356p-20, 1.523e-30)
CASE(asin, 0x1.921fb54442d18p-1, 0, 0x1.ce8276c3e139cp-1, 5.504e-17)
CASE(asin, 0x1.6a09e667f3bcdp-1, 0, 0x1.921fb54442d19p-1, -1.205e-17)
CASE(asin, 0x1.62e42fefa39efp-2, 0, 0x1.6a68e91c7f7f3p-2, -2.739e-18)
CASE(asin, 0x1.62e42fefa39f0p-2, 0, 0x1.6a68e91c7f7f4p-2, 9.285e-19)
CASE(asin, 0x1.a827999fcef32p-2, 0, 0x1.b55416c582a86p-2, 2.026e-17)
CASE(asin, 0x1.a827999fcef31p-2, 0, 0x1.b55416c582a85p-2, 1.479e-17)
CASE(asin, 0x1.fffffffffffffp-2, 0, 0x1.0c152382d7365p-1, -6.681e-18)
CASE(asin, 0x1.p-1, 0, 0x1.0c152382d7366p-1, -5.36e-17)
CASE(asin, 0x1.0000000000001p-1, 0, 0x1.0c152382d7367p-1, -3.643e-17)
CASE(asin, 0x1.fffffffffffffp-1, 0, 0x1.921fb50442d18p+0, 6.123e-17)
CASE(asin, 0x1.p+0, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(asin, 0x1.p-27, 0, 0x1.p-27, 6.893e-26)
CASE(asin, 0x1.p-60, 0, 0x1.p-60, 1.088e-55)
CASE(asin, 0x1.p-500, 0, 0x1.p-500, 0)
CASE(asin, 0x1.p-1022, 0, 0x1.p-1022, 0)
CASE(acos, 0x1.9e9cbbfd6080bp-31, 0, 0x1.921fb54105981p+0, -4.951e-17)
CASE(acos, -0x1.9e9cbbfd6080bp-31, 0, 0x1.921fb547800b0p+0, -5.007e-17)
CASE(acos, 0x1.e0000000001c2p-20, 0, 0x1.921f974442d18p+0, 6.018e-17)
CASE(acos, -0x1.e0000000001c2p-20, 0, 0x1.921fd34442d18p+0, 6.228e-17)
CASE(acos, 0x1.921fb54442d18p-1, 0, 0x1.55bcf3c4a4694p-1, 6.191e-18)
CASE(acos, -0x1.921fb54442d18p-1, 0, 0x1.3cb0785319b73p+1, 1.163e-16)
CASE(acos, 0x1.6a09e667f3bcdp-1, 0, 0x1.921fb54442d18p-1, -3.774e-17)
CASE(acos, -0x1.6a09e667f3bcdp-1, 0, 0x1.2d97c7f3321d2p+1, 1.602e-16)
CASE(acos, 0x1.62e42fefa39efp-2, 0, 0x1.37857afd22f1cp+0, -1.026e-16)
CASE(acos, -0x1.62e42fefa39efp-2, 0, 0x1.ecb9ef8b62b15p+0, 2.982e-18)
CASE(acos, 0x1.62e42fefa39f0p-2, 0, 0x1.37857afd22f1bp+0, 6.03e-17)
CASE(acos, -0x1.62e42fefa39f0p-2, 0, 0x1.ecb9ef8b62b15p+0, 6.216e-17)
CASE(acos, 0x1.a827999fcef32p-2, 0, 0x1.24caaf92e2277p+0, -7.005e-17)
CASE(acos, -0x1.a827999fcef32p-2, 0, 0x1.ff74baf5a37bap+0, -2.953e-17)
CASE(acos, 0x1.a827999fcef31p-2, 0, 0x1.24caaf92e2277p+0, -9.065e-18)
CASE(acos, -0x1.a827999fcef31p-2, 0, 0x1.ff74baf5a37bap+0, -9.051e-17)
CASE(acos, 0x1.fffffffffffffp-2, 0, 0x1.0c152382d7366p+0, -4.311e-17)
CASE(acos, -0x1.fffffffffffffp-2, 0, 0x1.0c152382d7365p+1, 1.656e-16)
CASE(acos, 0x1.p-1, 0, 0x1.0c152382d7366p+0, -1.072e-16)
CASE(acos, -0x1.p-1, 0, 0x1.0c152382d7366p+1, -2.144e-16)
CASE(acos, 0x1.0000000000001p-1, 0, 0x1.0c152382d7365p+0, -1.336e-17)
CASE(acos, -0x1.0000000000001p-1, 0, 0x1.0c152382d7366p+1, -8.622e-17)
CASE(acos, 0x1.fffffffffffffp-1, 0, 0x1.p-26, 1.379e-25)
CASE(acos, -0x1.fffffffffffffp-1, 0, 0x1.921fb52442d18p+1, 1.225e-16)
CASE(acos, 0x1.p+0, 0, 0x0.0p+0, 0)
CASE(acos, -0x1.p+0, 0, 0x1.921fb54442d18p+1, 1.225e-16)
CASE(acos, 0x1.p-27, 0, 0x1.921fb52442d18p+0, 6.123e-17)
CASE(acos, -0x1.p-27, 0, 0x1.921fb56442d18p+0, 6.123e-17)
CASE(acos, 0x1.p-60, 0, 0x1.921fb54442d18p+0, 6.036e-17)
CASE(acos, -0x1.p-60, 0, 0x1.921fb54442d18p+0, 6.21e-17)
CASE(acos, 0x1.p-500, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(acos, -0x1.p-500, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(acos, 0x1.p-1022, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(acos, -0x1.p-1022, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(acos, 0x0.0000000006000p-1022, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(acos, -0x0.0000000006000p-1022, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(acos, 0x0.0000000000001p-1022, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(acos, -0x0.0000000000001p-1022, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(atan, 0x1.6ac5b262ca1ffp+849, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(atan, 0x1.9e9cbbfd6080bp-31, 0, 0x1.9e9cbbfd6080bp-31, -1.43e-28)
CASE(atan, 0x1.62a88613629b6p+678, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(atan, 0x1.e0000000001c2p-20, 0, 0x1.dffffffffde9ap-20, 3.352e-30)
CASE(atan, 0x1.921fb54442d18p+0, 0, 0x1.00fe987ed02ffp+0, 3.055e-17)
CASE(atan, 0x1.921fb54442d18p+1, 0, 0x1.433b8a322ddd3p+0, -9.186e-17)
CASE(atan, 0x1.2d97c7f3321d2p+2, 0, 0x1.5c97d37d98aa4p+0, -7.714e-17)
CASE(atan, 0x1.921fb54442d18p-1, 0, 0x1.54e04c05d06a0p-1, 2.787e-17)
CASE(atan, 0x1.6a09e667f3bccp+0, 0, 0x1.e91f42805715cp-1, 4.935e-17)
CASE(atan, 0x1.6a09e667f3bcdp+0, 0, 0x1.e91f42805715dp-1, 1.234e-17)
CASE(atan, 0x1.6a09e667f3bcdp-1, 0, 0x1.3b2028082e8d4p-1, 2.319e-18)
CASE(atan, 0x1.62e42fefa39efp-2, 0, 0x1.55a03db261fbcp-2, 1.051e-17)
CASE(atan, 0x1.62e42fefa39f0p-2, 0, 0x1.55a03db261fbdp-2, 4.562e-18)
CASE(atan, 0x1.a827999fcef32p-2, 0, 0x1.921fb54442d18p-2, 3.06e-18)
CASE(atan, 0x1.a827999fcef31p-2, 0, 0x1.921fb54442d17p-2, 1.119e-17)
CASE(atan, 0x1.fffffffffffffp-2, 0, 0x1.dac670561bb4fp-2, -2.171e-17)
CASE(atan, 0x1.p-1, 0, 0x1.dac670561bb4fp-2, 2.27e-17)
CASE(atan, 0x1.0000000000001p-1, 0, 0x1.dac670561bb51p-2, 4.943e-19)
CASE(atan, 0x1.fffffffffffffp-1, 0, 0x1.921fb54442d18p-1, -2.489e-17)
CASE(atan, 0x1.p+0, 0, 0x1.921fb54442d18p-1, 3.062e-17)
CASE(atan, 0x1.0000000000001p+0, 0, 0x1.921fb54442d19p-1, 3.062e-17)
CASE(atan, 0x1.8000000000000p+0, 0, 0x1.f730bd281f69bp-1, 1.39e-17)
CASE(atan, 0x1.p+1, 0, 0x1.1b6e192ebbe44p+0, 9.404e-17)
CASE(atan, 0x1.4000000000000p+1, 0, 0x1.30b6d796a4da8p+0, 7.683e-17)
CASE(atan, 0x1.8000000000000p+1, 0, 0x1.3fc176b7a8560p+0, -2.196e-18)
CASE(atan, 0x1.9000000000000p+6, 0, 0x1.8f905eb2def22p+0, -1.007e-16)
CASE(atan, 0x1.fffffffffffffp+29, 0, 0x1.921fb54042d18p+0, 6.123e-17)
CASE(atan, 0x1.p+30, 0, 0x1.921fb54042d18p+0, 6.123e-17)
CASE(atan, 0x1.0000000000001p+30, 0, 0x1.921fb54042d18p+0, 6.123e-17)
CASE(atan, 0x1.0f0cf064dd592p+73, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(atan, 0x1.p-27, 0, 0x1.p-27, -1.379e-25)
CASE(atan, 0x1.p-60, 0, 0x1.p-60, -2.175e-55)
CASE(atan, 0x1.p-500, 0, 0x1.p-500, -0)
CASE(atan, 0x1.fffffffffffffp+1023, 0, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(atan, 0x1.5000000000000p+3, 0, 0x1.79d0f3fad1c92p+0, 3.388e-17)
CASE(atan, 0x1.6000000000000p+4, 0, 0x1.867ed918ab138p+0, 2.483e-17)
CASE(atan, 0x1.7ffff00000000p+2, 0, 0x1.67d88480f9f89p+0, -8.602e-17)
CASE(atan, 0x1.6200000000000p+9, 0, 0x1.91c324a64e6bcp+0, -5.682e-17)
CASE(atan, 0x1.7400000000000p+9, 0, 0x1.91c79f423b611p+0, -3.7e-18)
CASE(sinh, 0x1.9e9cbbfd6080bp-31, 0, 0x1.9e9cbbfd6080bp-31, 7.149e-29)
CASE(sinh, 0x1.e0000000001c2p-20, 0, 0x1.e000000001356p-20, 3.047e-31)
CASE(sinh, 0x1.921fb54442d18p+0, 0, 0x1.2690f661dd820p+1, -4.958e-18)
CASE(sinh, 0x1.921fb54442d18p+1, 0, 0x1.718f45d72e671p+3, 5.954e-16)
CASE(sinh, 0x1.2d97c7f3321d2p+2, 0, 0x1.bd3c34cf00a24p+5, 2.572e-15)
CASE(sinh, 0x1.921fb54442d18p-1, 0, 0x1.bcc270b522736p-1, 3.969e-17)
CASE(sinh, 0x1.6a09e667f3bccp+0, 0, 0x1.ef608a0cd0421p+0, 5.323e-17)
CASE(sinh, 0x1.6a09e667f3bcdp+0, 0, 0x1.ef608a0cd0423p+0, 9.28e-17)
CASE(sinh, 0x1.6a09e667f3bcdp-1, 0, 0x1.88f8cb2e7abe2p-1, -2.028e-17)
CASE(sinh, 0x1.62e42fefa39efp-2, 0, 0x1.6a09e667f3bccp-2, 1.904e-17)
CASE(sinh, 0x1.62e42fefa39f0p-2, 0, 0x1.6a09e667f3bcdp-2, 2.241e-17)
CASE(sinh, 0x1.a827999fcef32p-2, 0, 0x1.b463588f3cebfp-2, 1.523e-17)
CASE(sinh, 0x1.a827999fcef31p-2, 0, 0x1.b463588f3cebep-2, 1.04e-17)
CASE(sinh, 0x1.fffffffffffffp-2, 0, 0x1.0acd00fe63b96p-1, 2.51e-17)
CASE(sinh, 0x1.p-1, 0, 0x1.0acd00fe63b97p-1, -2.333e-17)
CASE(sinh, 0x1.0000000000001p-1, 0, 0x1.0acd00fe63b98p-1, -9.159e-18)
CASE(sinh, 0x1.fffffffffffffp-1, 0, 0x1.2cd9fc44eb982p+0, -9.282e-17)
CASE(sinh, 0x1.p+0, 0, 0x1.2cd9fc44eb982p+0, 7.85e-17)
CASE(sinh, 0x1.0000000000001p+0, 0, 0x1.2cd9fc44eb984p+0, -2.296e-17)
CASE(sinh, 0x1.8000000000000p+0, 0, 0x1.108c3aabd6a60p+1, 1.886e-16)
CASE(sinh, 0x1.p+1, 0, 0x1.d03cf63b6e19fp+1, 1.929e-16)
CASE(sinh, 0x1.4000000000000p+1, 0, 0x1.83368cdb0b6d3p+2, -1.527e-16)
CASE(sinh, 0x1.8000000000000p+1, 0, 0x1.40926e70949aep+3, -6.978e-16)
CASE(sinh, 0x1.9000000000000p+6, 0, 0x1.3494a9b171bf5p+143, -8.051e+26)
CASE(sinh, 0x1.p-27, 0, 0x1.p-27, 6.893e-26)
CASE(sinh, 0x1.p-60, 0, 0x1.p-60, 1.088e-55)
CASE(sinh, 0x1.p-500, 0, 0x1.p-500, 0)
CASE(sinh, 0x1.p-1022, 0, 0x1.p-1022, 0)
CASE(sinh, 0x1.5000000000000p+3, 0, 0x1.1bb7015ae8db6p+14, 1.586e-12)
CASE(sinh, 0x1.6000000000000p+4, 0, 0x1.ab5adb9c43600p+30, -1.177e-07)
CASE(sinh, 0x1.7ffff00000000p+2, 0, 0x1.936cbe1aef24dp+7, 1.062e-14)
CASE(sinh, 0x1.6200000000000p+9, 0, 0x1.586f6bf260cf1p+1020, -7.185e+290)
CASE(cosh, 0x1.9e9cbbfd6080bp-31, 0, 0x1.p+0, 2.844e-19)
CASE(cosh, 0x1.e0000000001c2p-20, 0, 0x1.0000000001c20p+0, 5.964e-25)
CASE(cosh, 0x1.921fb54442d18p+0, 0, 0x1.412cc2a8d4e9ep+1, -1.354e-17)
CASE(cosh, 0x1.921fb54442d18p+1, 0, 0x1.72f147fee4000p+3, 5.509e-16)
CASE(cosh, 0x1.2d97c7f3321d2p+2, 0, 0x1.bd4e9aa3e9cdbp+5, 6.224e-16)
CASE(cosh, 0x1.921fb54442d18p-1, 0, 0x1.531994ce525b9p+0, 1.087e-16)
CASE(cosh, 0x1.6a09e667f3bccp+0, 0, 0x1.16ceb80228cdap+1, 7.338e-17)
CASE(cosh, 0x1.6a09e667f3bcdp+0, 0, 0x1.16ceb80228cdbp+1, 5.896e-17)
CASE(cosh, 0x1.6a09e667f3bcdp-1, 0, 0x1.42b6258776bbdp+0, -4.5e-17)
CASE(cosh, 0x1.62e42fefa39efp-2, 0, 0x1.0f876ccdf6cd9p+0, 8.993e-17)
CASE(cosh, 0x1.62e42fefa39f0p-2, 0, 0x1.0f876ccdf6cd9p+0, 1.096e-16)
CASE(cosh, 0x1.a827999fcef32p-2, 0, 0x1.1646f1c617c6ap+0, 2.482e-17)
CASE(cosh, 0x1.a827999fcef31p-2, 0, 0x1.1646f1c617c6ap+0, 1.162e-18)
CASE(cosh, 0x1.fffffffffffffp-2, 0, 0x1.20ac1862ae8d0p+0, 5.811e-17)
CASE(cosh, 0x1.p-1, 0, 0x1.20ac1862ae8d0p+0, 8.703e-17)
CASE(cosh, 0x1.0000000000001p-1, 0, 0x1.20ac1862ae8d1p+0, -7.716e-17)
CASE(cosh, 0x1.fffffffffffffp-1, 0, 0x1.8b07551d9f550p+0, -6.441e-17)
CASE(cosh, 0x1.p+0, 0, 0x1.8b07551d9f550p+0, 6.607e-17)
CASE(cosh, 0x1.0000000000001p+0, 0, 0x1.8b07551d9f551p+0, 1.05e-16)
CASE(cosh, 0x1.8000000000000p+0, 0, 0x1.2d1bc21e22022p+1, 1.162e-16)
CASE(cosh, 0x1.p+1, 0, 0x1.e18fa0df2d9bcp+1, 7.147e-17)
CASE(cosh, 0x1.4000000000000p+1, 0, 0x1.88776e4b30aa3p+2, 3.56e-16)
CASE(cosh, 0x1.8000000000000p+1, 0, 0x1.422a497d6185ep+3, 5.15e-16)
CASE(cosh, 0x1.9000000000000p+6, 0, 0x1.3494a9b171bf5p+143, -8.051e+26)
CASE(cosh, 0x1.p-27, 0, 0x1.p+0, 2.776e-17)
CASE(cosh, 0x1.p-60, 0, 0x1.p+0, 3.762e-37)
CASE(cosh, 0x1.p-500, 0, 0x1.p+0, 4.666e-302)
CASE(cosh, 0x1.p-1022, 0, 0x1.p+0, 0)
CASE(cosh, 0x0.0000000006000p-1022, 0, 0x1.p+0, 0)
CASE(cosh, 0x0.0000000000001p-1022, 0, 0x1.p+0, 0)
CASE(cosh, 0x1.5000000000000p+3, 0, 0x1.1bb7016220cc0p+14, -7.95e-15)
CASE(cosh, 0x1.6000000000000p+4, 0, 0x1.ab5adb9c43600p+30, -1.175e-07)
CASE(cosh, 0x1.7ffff00000000p+2, 0, 0x1.936e03005f6f6p+7, 9.236e-15)
CASE(cosh, 0x1.6200000000000p+9, 0, 0x1.586f6bf260cf1p+1020, -7.185e+290)
CASE(tanh, 0x1.9e9cbbfd6080bp-31, 0, 0x1.9e9cbbfd6080bp-31, -1.43e-28)
CASE(tanh, 0x1.e0000000001c2p-20, 0, 0x1.dffffffffde9ap-20, 2.133e-30)
CASE(tanh, 0x1.921fb54442d18p+0, 0, 0x1.d594fdae482bap-1, -5.098e-17)
CASE(tanh, 0x1.921fb54442d18p+1, 0, 0x1.fe175fa292810p-1, -3.693e-17)
CASE(tanh, 0x1.2d97c7f3321d2p+2, 0, 0x1.ffead8c8b7e1ep-1, 4.33e-17)
CASE(tanh, 0x1.921fb54442d18p-1, 0, 0x1.4fc441fa6d6d6p-1, 1.1e-17)
CASE(tanh, 0x1.6a09e667f3bccp+0, 0, 0x1.c6da78ea7f7dbp-1, 8.175e-18)
CASE(tanh, 0x1.6a09e667f3bcdp+0, 0, 0x1.c6da78ea7f7dbp-1, 5.498e-17)
CASE(tanh, 0x1.6a09e667f3bcdp-1, 0, 0x1.37bc6a2932386p-1, 4.054e-17)
CASE(tanh, 0x1.62e42fefa39efp-2, 0, 0x1.5555555555555p-2, 8.197e-18)
CASE(tanh, 0x1.62e42fefa39f0p-2, 0, 0x1.5555555555556p-2, 2.029e-18)
CASE(tanh, 0x1.a827999fcef32p-2, 0, 0x1.91741d28cd8eap-2, -1.778e-17)
CASE(tanh, 0x1.a827999fcef31p-2, 0, 0x1.91741d28cd8e9p-2, -9.249e-18)
CASE(tanh, 0x1.fffffffffffffp-2, 0, 0x1.d9353d7568af3p-2, -2.174e-17)
CASE(tanh, 0x1.p-1, 0, 0x1.d9353d7568af3p-2, 2.192e-17)
CASE(tanh, 0x1.0000000000001p-1, 0, 0x1.d9353d7568af5p-2, -1.792e-18)
CASE(tanh, 0x1.fffffffffffffp-1, 0, 0x1.85efab514f394p-1, -9.536e-18)
CASE(tanh, 0x1.p+0, 0, 0x1.85efab514f394p-1, 3.709e-17)
CASE(tanh, 0x1.0000000000001p+0, 0, 0x1.85efab514f395p-1, 1.932e-17)
CASE(tanh, 0x1.8000000000000p+0, 0, 0x1.cf6f9786df577p-1, 4.199e-17)
CASE(tanh, 0x1.p+1, 0, 0x1.ed9505e1bc3d4p-1, -1.941e-17)
CASE(tanh, 0x1.4000000000000p+1, 0, 0x1.f9258260a71c2p-1, -2.453e-17)
CASE(tanh, 0x1.8000000000000p+1, 0, 0x1.fd77d111a0b00p-1, -1.299e-17)
CASE(tanh, 0x1.9000000000000p+6, 0, 0x1.p+0, -2.768e-87)
CASE(tanh, 0x1.p-27, 0, 0x1.p-27, -1.379e-25)
CASE(tanh, 0x1.p-60, 0, 0x1.p-60, -2.175e-55)
CASE(tanh, 0x1.p-500, 0, 0x1.p-500, -0)
CASE(tanh, 0x1.5000000000000p+3, 0, 0x1.fffffff2f9279p-1, 5.366e-17)
CASE(tanh, 0x1.6000000000000p+4, 0, 0x1.p+0, -1.556e-19)
CASE(tanh, 0x1.7ffff00000000p+2, 0, 0x1.fffe63ab1429dp-1, -1.043e-17)
CASE(tanh, 0x1.6200000000000p+9, 0, 0x1.p+0, -0)
CASE(tanh, 0x1.7400000000000p+9, 0, 0x1.p+0, -0)
CASE(exp, 0x1.9e9cbbfd6080bp-31, 0, 0x1.000000033d398p+0, -1.11e-16)
CASE(exp, -0x1.9e9cbbfd6080bp-31, 0, 0x1.fffffff9858d1p-1, 5.688e-19)
CASE(exp, 0x1.e0000000001c2p-20, 0, 0x1.00001e0001c20p+0, 1.048e-18)
CASE(exp, -0x1.e0000000001c2p-20, 0, 0x1.ffffc40003840p-1, -1.048e-18)
CASE(exp, 0x1.921fb54442d18p+0, 0, 0x1.33dedc855935fp+2, -1.85e-17)
CASE(exp, -0x1.921fb54442d18p+0, 0, 0x1.a9bcc46f767e0p-3, -8.583e-18)
CASE(exp, 0x1.921fb54442d18p+1, 0, 0x1.724046eb09339p+4, -6.301e-16)
CASE(exp, -0x1.921fb54442d18p+1, 0, 0x1.620227b598efap-5, -2.911e-18)
CASE(exp, 0x1.2d97c7f3321d2p+2, 0, 0x1.bd4567b975380p+6, -3.911e-15)
CASE(exp, -0x1.2d97c7f3321d2p+2, 0, 0x1.265d4e92b6b9cp-7, 5.85e-19)
CASE(exp, 0x1.921fb54442d18p-1, 0, 0x1.18bd669471caap+1, 1.484e-16)
CASE(exp, -0x1.921fb54442d18p-1, 0, 0x1.d2e171cf04879p-2, 1.346e-17)
CASE(exp, 0x1.6a09e667f3bccp+0, 0, 0x1.073f7e8448775p+2, 3.487e-16)
CASE(exp, -0x1.6a09e667f3bccp+0, 0, 0x1.f1e72fbc0ac99p-3, -7.61e-18)
CASE(exp, 0x1.6a09e667f3bcdp+0, 0, 0x1.073f7e8448776p+2, 3.738e-16)
CASE(exp, -0x1.6a09e667f3bcdp+0, 0, 0x1.f1e72fbc0ac97p-3, -6.081e-18)
CASE(exp, 0x1.6a09e667f3bcdp-1, 0, 0x1.0399458f5a0d7p+1, -6.527e-17)
CASE(exp, -0x1.6a09e667f3bcdp-1, 0, 0x1.f8e6ffc0e5730p-2, -2.472e-17)
CASE(exp, 0x1.62e42fefa39efp-2, 0, 0x1.6a09e667f3bccp+0, 1.09e-16)
CASE(exp, -0x1.62e42fefa39efp-2, 0, 0x1.6a09e667f3bcdp-1, -4.014e-17)
CASE(exp, 0x1.62e42fefa39f0p-2, 0, 0x1.6a09e667f3bcdp+0, -3.457e-17)
CASE(exp, -0x1.62e42fefa39f0p-2, 0, 0x1.6a09e667f3bccp-1, 3.163e-17)
CASE(exp, 0x1.a827999fcef32p-2, 0, 0x1.835fc7e9e701ap+0, -1.546e-17)
CASE(exp, -0x1.a827999fcef32p-2, 0, 0x1.525c374491175p-1, -4.592e-17)
CASE(exp, 0x1.a827999fcef31p-2, 0, 0x1.835fc7e9e701ap+0, -9.946e-17)
CASE(exp, -0x1.a827999fcef31p-2, 0, 0x1.525c374491175p-1, -9.235e-18)
CASE(exp, 0x1.fffffffffffffp-2, 0, 0x1.a61298e1e069bp+0, 8.321e-17)
CASE(exp, -0x1.fffffffffffffp-2, 0, 0x1.368b2fc6f960ap-1, 3.301e-17)
CASE(exp, 0x1.p-1, 0, 0x1.a61298e1e069cp+0, -4.732e-17)
CASE(exp, -0x1.p-1, 0, 0x1.368b2fc6f960ap-1, -6.593e-19)
CASE(exp, 0x1.0000000000001p-1, 0, 0x1.a61298e1e069dp+0, -8.632e-17)
CASE(exp, -0x1.0000000000001p-1, 0, 0x1.368b2fc6f9609p-1, 4.302e-17)
CASE(exp, 0x1.fffffffffffffp-1, 0, 0x1.5bf0a8b145769p+1, -1.572e-16)
CASE(exp, -0x1.fffffffffffffp-1, 0, 0x1.78b56362cef39p-2, -2.71e-17)
CASE(exp, 0x1.p+0, 0, 0x1.5bf0a8b145769p+1, 1.446e-16)
CASE(exp, -0x1.p+0, 0, 0x1.78b56362cef38p-2, -1.243e-17)
CASE(exp, 0x1.0000000000001p+0, 0, 0x1.5bf0a8b14576bp+1, -1.4e-16)
CASE(exp, -0x1.0000000000001p+0, 0, 0x1.78b56362cef36p-2, 1.691e-17)
CASE(exp, 0x1.8000000000000p+0, 0, 0x1.1ed3fe64fc541p+2, 3.048e-16)
CASE(exp, -0x1.8000000000000p+0, 0, 0x1.c8f87724b5c1dp-3, 1.089e-17)
CASE(exp, 0x1.p+1, 0, 0x1.d8e64b8d4ddaep+2, -1.797e-16)
CASE(exp, -0x1.p+1, 0, 0x1.152aaa3bf81ccp-3, -1.042e-17)
CASE(exp, 0x1.4000000000000p+1, 0, 0x1.85d6fd931e0bbp+3, 2.033e-16)
CASE(exp, -0x1.4000000000000p+1, 0, 0x1.50385c094f425p-4, -4.805e-18)
CASE(exp, 0x1.8000000000000p+1, 0, 0x1.415e5bf6fb106p+4, -1.828e-16)
CASE(exp, -0x1.8000000000000p+1, 0, 0x1.97db0ccceb0afp-5, -1.483e-18)
CASE(exp, 0x1.9000000000000p+6, 0, 0x1.3494a9b171bf5p+144, -1.61e+27)
CASE(exp, -0x1.9000000000000p+6, 0, 0x1.a8c1f14e2af5dp-145, -1.571e-60)
CASE(exp, 0x1.p-27, 0, 0x1.0000002000000p+0, 2.776e-17)
CASE(exp, -0x1.p-27, 0, 0x1.ffffffc000000p-1, 2.776e-17)
CASE(exp, 0x1.p-60, 0, 0x1.p+0, 8.674e-19)
CASE(exp, -0x1.p-60, 0, 0x1.p+0, -8.674e-19)
CASE(exp, 0x1.p-500, 0, 0x1.p+0, 3.055e-151)
CASE(exp, -0x1.p-500, 0, 0x1.p+0, -3.055e-151)
CASE(exp, 0x1.p-1022, 0, 0x1.p+0, 2.225e-308)
CASE(exp, -0x1.p-1022, 0, 0x1.p+0, -2.225e-308)
CASE(exp, 0x0.0000000006000p-1022, 0, 0x1.p+0, 1.214e-319)
CASE(exp, -0x0.0000000006000p-1022, 0, 0x1.p+0, -1.214e-319)
CASE(exp, 0x0.0000000000001p-1022, 0, 0x1.p+0, 4.941e-324)
CASE(exp, -0x0.0000000000001p-1022, 0, 0x1.p+0, -4.941e-324)
CASE(exp, 0x1.5000000000000p+3, 0, 0x1.1bb7015e84d3bp+15, 1.578e-12)
CASE(exp, -0x1.5000000000000p+3, 0, 0x1.cdfc263f6a0bap-16, -2.499e-22)
CASE(exp, 0x1.6000000000000p+4, 0, 0x1.ab5adb9c43600p+31, -2.352e-07)
CASE(exp, -0x1.6000000000000p+4, 0, 0x1.32b48bf117da2p-32, 1.692e-26)
CASE(exp, 0x1.7ffff00000000p+2, 0, 0x1.936d608da74a2p+8, -8.567e-15)
CASE(exp, -0x1.7ffff00000000p+2, 0, 0x1.44e5704a8f38dp-9, 1.801e-19)
CASE(exp, 0x1.6200000000000p+9, 0, 0x1.586f6bf260cf1p+1021, -1.437e+291)
CASE(exp, -0x1.6200000000000p+9, 0, 0x1.7c8ab2288c9abp-1022, 0)
CASE(log, 0x1.6ac5b262ca1ffp+849, 0, 0x1.266a4f98a7d3fp+9, -1.477e-14)
CASE(log, 0x1.9e9cbbfd6080bp-31, 0, -0x1.50161a7150501p+4, -1.192e-15)
CASE(log, 0x1.62a88613629b6p+678, 0, 0x1.d6479eba7c971p+8, 1.388e-33)
CASE(log, 0x1.e0000000001c2p-20, 0, -0x1.a77fac0346122p+3, -1.982e-16)
CASE(log, 0x1.921fb54442d18p+0, 0, 0x1.ce6bb25aa1315p-2, 3.605e-18)
CASE(log, 0x1.921fb54442d18p+1, 0, 0x1.250d048e7a1bdp+0, -2.872e-17)
CASE(log, 0x1.2d97c7f3321d2p+2, 0, 0x1.8cd99441787d0p+0, -3.16e-17)
CASE(log, 0x1.921fb54442d18p-1, 0, -0x1.eeb95b094c193p-3, 8.17e-18)
CASE(log, 0x1.6a09e667f3bccp+0, 0, 0x1.62e42fefa39eep-2, -2.154e-17)
CASE(log, 0x1.6a09e667f3bcdp+0, 0, 0x1.62e42fefa39f0p-2, 2.444e-17)
CASE(log, 0x1.6a09e667f3bcdp-1, 0, -0x1.62e42fefa39eep-2, 1.252e-18)
CASE(log, 0x1.62e42fefa39efp-2, 0, -0x1.0f45e267477dfp+0, -9.155e-17)
CASE(log, 0x1.62e42fefa39f0p-2, 0, -0x1.0f45e267477dfp+0, 6.862e-17)
CASE(log, 0x1.a827999fcef32p-2, 0, -0x1.c34366179d427p-1, -1.214e-17)
CASE(log, 0x1.a827999fcef31p-2, 0, -0x1.c34366179d428p-1, -3.513e-17)
CASE(log, 0x1.fffffffffffffp-2, 0, -0x1.62e42fefa39f0p-1, -2.319e-17)
CASE(log, 0x1.p-1, 0, -0x1.62e42fefa39efp-1, -2.319e-17)
CASE(log, 0x1.0000000000001p-1, 0, -0x1.62e42fefa39edp-1, -2.319e-17)
CASE(log, 0x1.fffffffffffffp-1, 0, -0x1.p-53, -6.163e-33)
CASE(log, 0x1.p+0, 0, 0x0.0p+0, 0)
CASE(log, 0x1.0000000000001p+0, 0, 0x1.fffffffffffffp-53, 3.649e-48)
CASE(log, 0x1.8000000000000p+0, 0, 0x1.9f323ecbf984cp-2, -2.881e-18)
CASE(log, 0x1.p+1, 0, 0x1.62e42fefa39efp-1, 2.319e-17)
CASE(log, 0x1.4000000000000p+1, 0, 0x1.d5240f0e0e078p-1, -4.141e-17)
CASE(log, 0x1.8000000000000p+1, 0, 0x1.193ea7aad030bp+0, -9.071e-17)
CASE(log, 0x1.9000000000000p+6, 0, 0x1.26bb1bbb55516p+2, -4.342e-16)
CASE(log, 0x1.fffffffffffffp+29, 0, 0x1.4cb5ecf0a9650p+4, 8.067e-16)
CASE(log, 0x1.p+30, 0, 0x1.4cb5ecf0a9650p+4, 9.178e-16)
CASE(log, 0x1.0000000000001p+30, 0, 0x1.4cb5ecf0a9650p+4, 1.14e-15)
CASE(log, 0x1.0f0cf064dd592p+73, 0, 0x1.95414621954fep+5, -2.999e-15)
CASE(log, 0x1.p-27, 0, -0x1.2b708872320e2p+4, 5.951e-16)
CASE(log, 0x1.p-60, 0, -0x1.4cb5ecf0a9650p+5, -1.836e-15)
CASE(log, 0x1.p-500, 0, -0x1.5a92d6d005c94p+8, 2.26e-14)
CASE(log, 0x1.p-1022, 0, -0x1.6232bdd7abcd2p+9, -2.748e-14)
CASE(log, 0x0.0000000006000p-1022, 0, -0x1.6f2a4f5736e06p+9, 4.758e-14)
CASE(log, 0x0.0000000000001p-1022, 0, -0x1.74385446d71c3p+9, -4.422e-14)
CASE(log, 0x1.fffffffffffffp+1023, 0, 0x1.62e42fefa39efp+9, 2.364e-14)
CASE(log, 0x1.5000000000000p+3, 0, 0x1.2cf9dd4b12035p+1, 7.035e-17)
CASE(log, 0x1.6000000000000p+4, 0, 0x1.8ba74773dc5c8p+1, -2.132e-16)
CASE(log, 0x1.7ffff00000000p+2, 0, 0x1.cab0b4f7f71c9p+0, 6.809e-17)
CASE(log, 0x1.6200000000000p+9, 0, 0x1.a3ff15830f8b7p+2, 1.452e-16)
CASE(log, 0x1.7400000000000p+9, 0, 0x1.a72bae291ac29p+2, 2.861e-16)
CASE(log10, 0x1.6ac5b262ca1ffp+849, 0, 0x1.ff73a3f9f7285p+7, -1.287e-14)
CASE(log10, 0x1.9e9cbbfd6080bp-31, 0, -0x1.23ebbf3a773dep+3, -8.677e-16)
CASE(log10, 0x1.62a88613629b6p+678, 0, 0x1.987ad51e6cde2p+7, -9.319e-15)
CASE(log10, 0x1.e0000000001c2p-20, 0, -0x1.6fd8a7f8a3985p+2, 3.98e-16)
CASE(log10, 0x1.921fb54442d18p+0, 0, 0x1.91a74c4f85377p-3, 1.38e-17)
CASE(log10, 0x1.921fb54442d18p+1, 0, 0x1.fd14db31ba3bbp-2, -1.676e-17)
CASE(log10, 0x1.2d97c7f3321d2p+2, 0, 0x1.58b30fc65ffdcp-1, 4.346e-17)
CASE(log10, 0x1.921fb54442d18p-1, 0, -0x1.adb63b88d410dp-4, 2.728e-18)
CASE(log10, 0x1.6a09e667f3bccp+0, 0, 0x1.34413509f79fep-3, -1.215e-17)
CASE(log10, 0x1.6a09e667f3bcdp+0, 0, 0x1.34413509f7a00p-3, 5.301e-19)
CASE(log10, 0x1.6a09e667f3bcdp-1, 0, -0x1.34413509f79fep-3, 3.334e-18)
CASE(log10, 0x1.62e42fefa39efp-2, 0, -0x1.d73fdb86a2a44p-2, 6.636e-18)
CASE(log10, 0x1.62e42fefa39f0p-2, 0, -0x1.d73fdb86a2a43p-2, 2.069e-17)
CASE(log10, 0x1.a827999fcef32p-2, 0, -0x1.87f65968eba1ap-2, 9.644e-18)
CASE(log10, 0x1.a827999fcef31p-2, 0, -0x1.87f65968eba1bp-2, 6.953e-18)
CASE(log10, 0x1.fffffffffffffp-2, 0, -0x1.34413509f7a00p-2, 1.01e-17)
CASE(log10, 0x1.p-1, 0, -0x1.34413509f79ffp-2, 2.804e-18)
CASE(log10, 0x1.0000000000001p-1, 0, -0x1.34413509f79fdp-2, -1.179e-17)
CASE(log10, 0x1.fffffffffffffp-1, 0, -0x1.bcb7b1526e50fp-55, 2.267e-33)
CASE(log10, 0x1.p+0, 0, 0x0.0p+0, 0)
CASE(log10, 0x1.0000000000001p+0, 0, 0x1.bcb7b1526e50dp-54, 4.059e-33)
CASE(log10, 0x1.8000000000000p+0, 0, 0x1.68a288b60b7fcp-3, 4.704e-18)
CASE(log10, 0x1.p+1, 0, 0x1.34413509f79ffp-2, -2.804e-18)
CASE(log10, 0x1.4000000000000p+1, 0, 0x1.977d95ec10c02p-2, 5.607e-18)
CASE(log10, 0x1.8000000000000p+1, 0, 0x1.e8927964fd5fdp-2, 1.9e-18)
CASE(log10, 0x1.9000000000000p+6, 0, 0x1.p+1, 0)
CASE(log10, 0x1.fffffffffffffp+29, 0, 0x1.20fd21b95825fp+3, -2.131e-17)
CASE(log10, 0x1.p+30, 0, 0x1.20fd21b95825fp+3, 2.691e-17)
CASE(log10, 0x1.0000000000001p+30, 0, 0x1.20fd21b95825fp+3, 1.233e-16)
CASE(log10, 0x1.0f0cf064dd592p+73, 0, 0x1.6000000000000p+4, 0)
CASE(log10, 0x1.p-27, 0, -0x1.041704c068eefp+3, -2.019e-16)
CASE(log10, 0x1.p-60, 0, -0x1.20fd21b95825fp+4, -5.382e-17)
CASE(log10, 0x1.p-500, 0, -0x1.2d07adcbbbd23p+7, 7.357e-16)
CASE(log10, 0x1.p-1022, 0, -0x1.33a7146f72a42p+8, 2.754e-15)
CASE(log10, 0x0.0000000006000p-1022, 0, -0x1.3eea6b963a932p+8, 4.864e-15)
CASE(log10, 0x0.0000000000001p-1022, 0, -0x1.434e6420f4374p+8, 5.787e-15)
CASE(log10, 0x1.fffffffffffffp+1023, 0, 0x1.34413509f79ffp+8, -2.919e-15)
CASE(log10, 0x1.5000000000000p+3, 0, 0x1.056ca97287d1fp+0, 2.267e-17)
CASE(log10, 0x1.6000000000000p+4, 0, 0x1.57a903478a3eep+0, 6.465e-17)
CASE(log10, 0x1.7ffff00000000p+2, 0, 0x1.8e69cdf3a69ccp-1, -1.048e-17)
CASE(log10, 0x1.6200000000000p+9, 0, 0x1.6ccde3c9251b6p+1, 1.228e-16)
CASE(log10, 0x1.7400000000000p+9, 0, 0x1.6f8fb3b31fc72p+1, 1.449e-16)
CASE(cbrt, 0x1.6ac5b262ca1ffp+849, 0, 0x1.1f8b52f71bd3bp+283, 1.056e+69)
CASE(cbrt, 0x1.9e9cbbfd6080bp-31, 0, 0x1.dd3ac54b60eaap-11, 5.968e-21)
CASE(cbrt, 0x1.62a88613629b6p+678, 0, 0x1.1d625eebfa193p+226, 3.648e+51)
CASE(cbrt, 0x1.e0000000001c2p-20, 0, 0x1.8db9cb7511f1ap-7, -1.169e-19)
CASE(cbrt, 0x1.921fb54442d18p+0, 0, 0x1.2996264e0e3fep+0, -6.479e-17)
CASE(cbrt, 0x1.921fb54442d18p+1, 0, 0x1.76ef7e73104b7p+0, 1.015e-16)
CASE(cbrt, 0x1.2d97c7f3321d2p+2, 0, 0x1.ad31ac2d574d6p+0, -8.856e-17)
CASE(cbrt, 0x1.921fb54442d18p-1, 0, 0x1.d8639fdcb60eap-1, 4.999e-18)
CASE(cbrt, 0x1.6a09e667f3bccp+0, 0, 0x1.1f59ac3c7d6c0p+0, -6.895e-17)
CASE(cbrt, 0x1.6a09e667f3bcdp+0, 0, 0x1.1f59ac3c7d6c0p+0, -1.021e-17)
CASE(cbrt, 0x1.6a09e667f3bcdp-1, 0, 0x1.c823e074ec129p-1, 5.093e-17)
CASE(cbrt, 0x1.62e42fefa39efp-2, 0, 0x1.67a3f00749ccfp-1, -2.103e-17)
CASE(cbrt, 0x1.62e42fefa39f0p-2, 0, 0x1.67a3f00749ccfp-1, 1.647e-17)
CASE(cbrt, 0x1.a827999fcef32p-2, 0, 0x1.7da947897eda8p-1, 2.112e-17)
CASE(cbrt, 0x1.a827999fcef31p-2, 0, 0x1.7da947897eda8p-1, -1.218e-17)
CASE(cbrt, 0x1.fffffffffffffp-2, 0, 0x1.965fea53d6e3cp-1, 2.73e-17)
CASE(cbrt, 0x1.p-1, 0, 0x1.965fea53d6e3dp-1, -5.435e-17)
CASE(cbrt, 0x1.0000000000001p-1, 0, 0x1.965fea53d6e3dp-1, 4.401e-18)
CASE(cbrt, 0x1.fffffffffffffp-1, 0, 0x1.p+0, -3.701e-17)
CASE(cbrt, 0x1.p+0, 0, 0x1.p+0, 0)
CASE(cbrt, 0x1.0000000000001p+0, 0, 0x1.p+0, 7.401e-17)
CASE(cbrt, 0x1.8000000000000p+0, 0, 0x1.250bfe1b082f5p+0, -5.445e-18)
CASE(cbrt, 0x1.p+1, 0, 0x1.428a2f98d728bp+0, -2.59e-17)
CASE(cbrt, 0x1.4000000000000p+1, 0, 0x1.5b7209557b0eep+0, -9.827e-17)
CASE(cbrt, 0x1.8000000000000p+1, 0, 0x1.7137449123ef6p+0, 8.055e-17)
CASE(cbrt, 0x1.9000000000000p+6, 0, 0x1.290fca9c761f8p+2, -4.044e-16)
CASE(cbrt, 0x1.fffffffffffffp+29, 0, 0x1.p+10, -3.79e-14)
CASE(cbrt, 0x1.p+30, 0, 0x1.p+10, 0)
CASE(cbrt, 0x1.0000000000001p+30, 0, 0x1.p+10, 7.579e-14)
CASE(cbrt, 0x1.0f0cf064dd592p+73, 0, 0x1.48bd9ae67b4bap+24, -1.438e-09)
CASE(cbrt, 0x1.p-27, 0, 0x1.p-9, 0)
CASE(cbrt, 0x1.p-60, 0, 0x1.p-20, 0)
CASE(cbrt, 0x1.p-500, 0, 0x1.428a2f98d728bp-167, -1.384e-67)
CASE(cbrt, 0x1.p-1022, 0, 0x1.428a2f98d728bp-341, -5.782e-120)
CASE(cbrt, 0x0.0000000006000p-1022, 0, 0x1.d12ed0af1a27fp-354, -2.871e-124)
CASE(cbrt, 0x0.0000000000001p-1022, 0, 0x1.p-358, 0)
CASE(cbrt, 0x1.fffffffffffffp+1023, 0, 0x1.428a2f98d728bp+341, -3.249e+86)
CASE(cbrt, 0x1.5000000000000p+3, 0, 0x1.184a0aa58191fp+1, 1.379e-16)
CASE(cbrt, 0x1.6000000000000p+4, 0, 0x1.66a9398ba2a3ap+1, -1.186e-16)
CASE(cbrt, 0x1.7ffff00000000p+2, 0, 0x1.d12eca391e477p+0, -6.414e-17)
CASE(cbrt, 0x1.6200000000000p+9, 0, 0x1.1d3523fce55adp+3, 3.296e-16)
CASE(cbrt, 0x1.7400000000000p+9, 0, 0x1.21f63ff409043p+3, -2.896e-16)
CASE(erf, 0x1.9e9cbbfd6080bp-31, 0, 0x1.d3d6fe4fb63a0p-31, 1.506e-26)
CASE(erf, 0x1.e0000000001c2p-20, 0, 0x1.0ecf9db3e5edep-19, 1.827e-22)
CASE(erf, 0x1.921fb54442d18p+0, 0, 0x1.f2860b4807f6dp-1, -3.458e-17)
CASE(erf, 0x1.921fb54442d18p+1, 0, 0x1.fffed62a7bb7cp-1, 4.513e-17)
CASE(erf, 0x1.2d97c7f3321d2p+2, 0, 0x1.ffffffffc5880p-1, -4.876e-17)
CASE(erf, 0x1.921fb54442d18p-1, 0, 0x1.7774985d2d6e2p-1, -1.441e-17)
CASE(erf, 0x1.6a09e667f3bccp+0, 0, 0x1.e8b4307d3627ap-1, -1.638e-17)
CASE(erf, 0x1.6a09e667f3bcdp+0, 0, 0x1.e8b4307d3627ap-1, 1.753e-17)
CASE(erf, 0x1.6a09e667f3bcdp-1, 0, 0x1.5d897a241a6fbp-1, -3.232e-17)
CASE(erf, 0x1.62e42fefa39efp-2, 0, 0x1.80fafc37530f4p-2, -1.406e-17)
CASE(erf, 0x1.62e42fefa39f0p-2, 0, 0x1.80fafc37530f5p-2, -1.402e-17)
CASE(erf, 0x1.a827999fcef32p-2, 0, 0x1.c496a836ccae6p-2, 5.675e-18)
CASE(erf, 0x1.a827999fcef31p-2, 0, 0x1.c496a836ccae5p-2, 8.424e-18)
CASE(erf, 0x1.fffffffffffffp-2, 0, 0x1.0a7ef5c18edd2p-1, -2.978e-17)
CASE(erf, 0x1.p-1, 0, 0x1.0a7ef5c18edd2p-1, 1.9e-17)
CASE(erf, 0x1.0000000000001p-1, 0, 0x1.0a7ef5c18edd3p-1, 5.543e-18)
CASE(erf, 0x1.fffffffffffffp-1, 0, 0x1.af767a741088ap-1, 4.014e-17)
CASE(erf, 0x1.p+0, 0, 0x1.af767a741088bp-1, -2.48e-17)
CASE(erf, 0x1.0000000000001p+0, 0, 0x1.af767a741088cp-1, -4.365e-17)
CASE(erf, 0x1.8000000000000p+0, 0, 0x1.eea5557137ae0p-1, -3.387e-17)
CASE(erf, 0x1.p+1, 0, 0x1.fd9ae142795e3p-1, 2.207e-17)
CASE(erf, 0x1.4000000000000p+1, 0, 0x1.ffcaa8f4c9beap-1, 4.693e-17)
CASE(erf, 0x1.8000000000000p+1, 0, 0x1.fffd1ac4135f9p-1, 5.363e-17)
CASE(erf, 0x1.9000000000000p+6, 0, 0x1.p+0, 0)
CASE(erf, 0x1.p-27, 0, 0x1.20dd750429b6dp-27, -4.13e-26)
CASE(erf, 0x1.p-60, 0, 0x1.20dd750429b6dp-60, 1.33e-35)
CASE(erf, 0x1.p-500, 0, 0x1.20dd750429b6dp-500, 4.685e-168)
CASE(erf, 0x1.p-1022, 0, 0x1.20dd750429b6dp-1022, 0)
CASE(erf, 0x1.5000000000000p+3, 0, 0x1.p+0, -7.036e-50)
CASE(erf, 0x1.6000000000000p+4, 0, 0x1.p+0, -1.622e-212)
CASE(erf, 0x1.7ffff00000000p+2, 0, 0x1.p+0, -2.152e-17)
CASE(erf, 0x1.6200000000000p+9, 0, 0x1.p+0, 0)
CASE(erf, 0x1.7400000000000p+9, 0, 0x1.p+0, 0)
CASE(sinc, 0x1.6ac5b262ca1ffp+849, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.9e9cbbfd6080bp-31, 0, 0x1.p+0, -9.356e-19)
CASE(sinc, 0x1.62a88613629b6p+678, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.e0000000001c2p-20, 0, 0x1.fffffffff46f2p-1, -1.123e-17)
CASE(sinc, 0x1.921fb54442d18p+0, 0, -0x1.94c9fb5b983b3p-3, -1.331e-17)
CASE(sinc, 0x1.921fb54442d18p+1, 0, -0x1.6528f3839c253p-5, 5.821e-20)
CASE(sinc, 0x1.2d97c7f3321d2p+2, 0, 0x1.b2ac7154f7a06p-5, 2.588e-19)
CASE(sinc, 0x1.921fb54442d18p-1, 0, 0x1.0313dd1161085p-2, -2.18e-17)
CASE(sinc, 0x1.6a09e667f3bccp+0, 0, -0x1.bc5288789fc7cp-3, 1.048e-17)
CASE(sinc, 0x1.6a09e667f3bcdp+0, 0, -0x1.bc5288789fc7cp-3, 2.739e-18)
CASE(sinc, 0x1.6a09e667f3bcdp-1, 0, 0x1.6ec8c76b039d2p-2, -1.763e-17)
CASE(sinc, 0x1.62e42fefa39efp-2, 0, 0x1.a0ab643bc0064p-1, 5.16e-17)
CASE(sinc, 0x1.62e42fefa39f0p-2, 0, 0x1.a0ab643bc0064p-1, -4.5e-18)
CASE(sinc, 0x1.a827999fcef32p-2, 0, 0x1.7b40bd2e4c263p-1, 4.533e-17)
CASE(sinc, 0x1.a827999fcef31p-2, 0, 0x1.7b40bd2e4c264p-1, -2.105e-18)
CASE(sinc, 0x1.fffffffffffffp-2, 0, 0x1.45f306dc9c883p-1, 3.132e-17)
CASE(sinc, 0x1.p-1, 0, 0x1.45f306dc9c883p-1, -3.936e-17)
CASE(sinc, 0x1.0000000000001p-1, 0, 0x1.45f306dc9c881p-1, 4.133e-17)
CASE(sinc, 0x1.fffffffffffffp-1, 0, 0x1.p-53, 1.233e-32)
CASE(sinc, 0x1.p+0, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.0000000000001p+0, 0, -0x1.ffffffffffffep-53, 7.061e-48)
CASE(sinc, 0x1.8000000000000p+0, 0, -0x1.b2995e7b7b604p-3, 1.312e-17)
CASE(sinc, 0x1.p+1, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.4000000000000p+1, 0, 0x1.04c26be3b06cfp-3, -2.32e-18)
CASE(sinc, 0x1.8000000000000p+1, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.9000000000000p+6, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.fffffffffffffp+29, 0, -0x1.fffffffffff2ep-54, -5.527e-33)
CASE(sinc, 0x1.p+30, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.0000000000001p+30, 0, 0x1.ffffffffffcb4p-53, -5.084e-33)
CASE(sinc, 0x1.0f0cf064dd592p+73, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.p-27, 0, 0x1.fffffffffffffp-1, 1.971e-17)
CASE(sinc, 0x1.p-60, 0, 0x1.p+0, -1.238e-36)
CASE(sinc, 0x1.p-500, 0, 0x1.p+0, -1.535e-301)
CASE(sinc, 0x1.p-1022, 0, 0x1.p+0, -0)
CASE(sinc, 0x0.0000000006000p-1022, 0, 0x1.p+0, -0)
CASE(sinc, 0x0.0000000000001p-1022, 0, 0x1.p+0, -0)
CASE(sinc, 0x1.fffffffffffffp+1023, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.5000000000000p+3, 0, 0x1.f0af47688d004p-6, 1.084e-19)
CASE(sinc, 0x1.6000000000000p+4, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.7ffff00000000p+2, 0, -0x1.5555638e1663cp-21, 5.015e-23)
CASE(sinc, 0x1.6200000000000p+9, 0, 0x0.0p+0, 0)
CASE(sinc, 0x1.7400000000000p+9, 0, 0x0.0p+0, 0)
CASE(pow, 0x1.6ac5b262ca1ffp+849, 0x1.e0000000001c2p-20, 0x1.00450a383cfd7p+0,
    -1.42e-17)
CASE(pow, 0x1.9e9cbbfd6080bp-31, 0x1.6a09e667f3bcdp-1, 0x1.7c73710e549f6p-22,
    -4.072e-24)
CASE(pow, 0x1.62a88613629b6p+678, 0x1.0000000000001p-1, 0x1.2d5166fde510fp+339,
    5.622e+84)
CASE(pow, 0x1.e0000000001c2p-20, 0x1.8000000000000p+1, 0x1.a5e00000004a3p-58,
    -3.671e-34)
CASE(pow, 0x1.921fb54442d18p+1, 0x1.6000000000000p+4, 0x1.42723cf5ffb34p+36, 5.085e-06)
CASE(pow, 0x1.2d97c7f3321d2p+2, 0x1.e0000000001c2p-20, 0x1.00002e8183991p+0, 2.813e-17)
CASE(pow, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.af9b17d33b266p-1, 4.591e-17)
CASE(pow, 0x1.6a09e667f3bccp+0, 0x1.0000000000001p-1, 0x1.306fe0a31b715p+0, 3.287e-17)
CASE(pow, 0x1.6a09e667f3bcdp+0, 0x1.8000000000000p+1, 0x1.6a09e667f3bcep+1, -5.74e-17)
CASE(pow, 0x1.62e42fefa39efp-2, 0x1.6000000000000p+4, 0x1.4a2fe382f66e4p-34, -5.565e-27)
CASE(pow, 0x1.62e42fefa39f0p-2, 0x1.e0000000001c2p-20, 0x1.ffffc06ba2e26p-1, 1.742e-17)
CASE(pow, 0x1.a827999fcef32p-2, 0x1.6a09e667f3bcdp-1, 0x1.128a68e4887dbp-1, 2.435e-17)
CASE(pow, 0x1.a827999fcef31p-2, 0x1.0000000000001p-1, 0x1.49852f983efdcp-1, 3.181e-17)
CASE(pow, 0x1.fffffffffffffp-2, 0x1.8000000000000p+1, 0x1.ffffffffffffdp-4, 4.622e-33)
CASE(pow, 0x1.0000000000001p-1, 0x1.6000000000000p+4, 0x1.0000000000016p-22, 2.715e-36)
CASE(pow, 0x1.8000000000000p+0, 0x1.8000000000000p+1, 0x1.b000000000000p+1, 0)
CASE(pow, 0x1.4000000000000p+1, 0x1.6000000000000p+4, 0x1.0f0cf064dd592p+29, 0)
CASE(pow, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0x1.000020f559c52p+0, 6.961e-17)
CASE(pow, 0x1.9000000000000p+6, 0x1.6a09e667f3bcdp-1, 0x1.9f45d9e9467ddp+4, 1.379e-15)
CASE(pow, 0x1.fffffffffffffp+29, 0x1.0000000000001p-1, 0x1.000000000000ap+15, 1.071e-12)
CASE(pow, 0x1.p+30, 0x1.8000000000000p+1, 0x1.p+90, 0)
CASE(pow, 0x1.p-27, 0x1.e0000000001c2p-20, 0x1.fffb9d1ecfa98p-1, -4.993e-17)
CASE(pow, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 0x1.7cfc5867c6c67p-43, -8.099e-30)
CASE(pow, 0x1.p-500, 0x1.0000000000001p-1, 0x1.ffffffffffea5p-251, 2.617e-92)
CASE(pow, 0x1.fffffffffffffp+1023, 0x1.e0000000001c2p-20, 0x1.00533afff5eebp+0,
    1.813e-17)
CASE(pow, 0x1.5000000000000p+3, 0x1.6a09e667f3bcdp-1, 0x1.517f381b1c3d4p+2, 3.401e-16)
CASE(pow, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0x1.2c2fc595456a9p+2, -3.432e-16)
CASE(pow, 0x1.7ffff00000000p+2, 0x1.8000000000000p+1, 0x1.afffca0002400p+7, -5.551e-17)
CASE(pow, 0x1.7400000000000p+9, 0x1.6000000000000p+4, 0x1.d1219506b41c0p+209, 8.438e+46)
CASE(pow, 0x1.8000000000000p+1, 0x1.4000000000000p+1, 0x1.f2d4a45635640p+3, -4.291e-16)
CASE(pow, 0x1.4000000000000p+3, 0x1.6000000000000p+4, 0x1.0f0cf064dd592p+73, 0)
CASE(pow, 0x1.199999999999ap+0, -0x1.2c40000000000p+8, 0x1.a417f61e6e50bp-42, 8.954e-30)
CASE(pow, 0x1.0000000000001p+0, 0x1.bc16d674ec800p+59, 0x1.44a12826f5073p+320,
    3.909e+79)
CASE(pow, 0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.a5e0000000000p+8, 0)
CASE(atan2, 0x1.6ac5b262ca1ffp+849, 0x1.e0000000001c2p-20, 0x1.921fb54442d18p+0,
    6.123e-17)
CASE(atan2, 0x1.9e9cbbfd6080bp-31, 0x1.6a09e667f3bcdp-1, 0x1.252cd540098a1p-30,
    5.405e-27)
CASE(atan2, 0x1.62a88613629b6p+678, 0x1.0000000000001p-1, 0x1.921fb54442d18p+0,
    6.123e-17)
CASE(atan2, 0x1.e0000000001c2p-20, 0x1.8000000000000p+1, 0x1.3fffffffffe91p-21,
    3.529e-23)
CASE(atan2, 0x1.921fb54442d18p+0, 0x1.p-60, 0x1.921fb54442d18p+0, 6.068e-17)
CASE(atan2, 0x1.921fb54442d18p+1, 0x1.6000000000000p+4, 0x1.227d641a45b74p-3, 1.256e-18)
CASE(atan2, 0x1.2d97c7f3321d2p+2, 0x1.e0000000001c2p-20, 0x1.921faee683af3p+0,
    7.431e-17)
CASE(atan2, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.acf4f8f89f7b6p-1,
    -3.281e-17)
CASE(atan2, 0x1.6a09e667f3bccp+0, 0x1.0000000000001p-1, 0x1.3b2028082e8d3p+0, 6.459e-17)
CASE(atan2, 0x1.6a09e667f3bcdp+0, 0x1.8000000000000p+1, 0x1.c3153a2c93ec9p-2, 1.757e-17)
CASE(atan2, 0x1.6a09e667f3bcdp-1, 0x1.p-60, 0x1.921fb54442d18p+0, 6.001e-17)
CASE(atan2, 0x1.62e42fefa39efp-2, 0x1.6000000000000p+4, 0x1.0214da5c6deadp-6,
    -1.146e-18)
CASE(atan2, 0x1.62e42fefa39f0p-2, 0x1.e0000000001c2p-20, 0x1.921f5eb477162p+0,
    6.276e-17)
CASE(atan2, 0x1.a827999fcef32p-2, 0x1.6a09e667f3bcdp-1, 0x1.0f4f6b200fc57p-1, 3.295e-17)
CASE(atan2, 0x1.a827999fcef31p-2, 0x1.0000000000001p-1, 0x1.62384dc39930ep-1, 5.034e-17)
CASE(atan2, 0x1.fffffffffffffp-2, 0x1.8000000000000p+1, 0x1.52397843c9addp-3,
    -6.323e-18)
CASE(atan2, 0x1.p-1, 0x1.p-60, 0x1.921fb54442d18p+0, 5.95e-17)
CASE(atan2, 0x1.0000000000001p-1, 0x1.6000000000000p+4, 0x1.744caeeae2303p-6,
    -4.699e-19)
CASE(atan2, 0x1.fffffffffffffp-1, 0x1.e0000000001c2p-20, 0x1.921f974442d18p+0,
    6.304e-17)
CASE(atan2, 0x1.p+0, 0x1.6a09e667f3bcdp-1, 0x1.e91f42805715dp-1, -5.211e-17)
CASE(atan2, 0x1.0000000000001p+0, 0x1.0000000000001p-1, 0x1.1b6e192ebbe44p+0, 9.404e-17)
CASE(atan2, 0x1.8000000000000p+0, 0x1.8000000000000p+1, 0x1.dac670561bb4fp-2, 2.27e-17)
CASE(atan2, 0x1.p+1, 0x1.p-60, 0x1.921fb54442d18p+0, 6.08e-17)
CASE(atan2, 0x1.4000000000000p+1, 0x1.6000000000000p+4, 0x1.cf7767571017ep-4, 6.837e-18)
CASE(atan2, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0x1.921fab4442d18p+0,
    6.127e-17)
CASE(atan2, 0x1.9000000000000p+6, 0x1.6a09e667f3bcdp-1, 0x1.90504e6969ae3p+0, 8.749e-17)
CASE(atan2, 0x1.fffffffffffffp+29, 0x1.0000000000001p-1, 0x1.921fb54242d18p+0,
    6.123e-17)
CASE(atan2, 0x1.p+30, 0x1.8000000000000p+1, 0x1.921fb53842d18p+0, 6.123e-17)
CASE(atan2, 0x1.0000000000001p+30, 0x1.p-60, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(atan2, 0x1.0f0cf064dd592p+73, 0x1.6000000000000p+4, 0x1.921fb54442d18p+0,
    6.123e-17)
CASE(atan2, 0x1.p-27, 0x1.e0000000001c2p-20, 0x1.1110a98132e39p-8, -2.464e-20)
CASE(atan2, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bccp-60, 2.489e-35)
CASE(atan2, 0x1.p-500, 0x1.0000000000001p-1, 0x1.ffffffffffffep-500, 3.012e-182)
CASE(atan2, 0x0.0000000006000p-1022, 0x1.p-60, 0x1.8000000000000p-1000, -0)
CASE(atan2, 0x1.fffffffffffffp+1023, 0x1.e0000000001c2p-20, 0x1.921fb54442d18p+0,
    6.123e-17)
CASE(atan2, 0x1.5000000000000p+3, 0x1.6a09e667f3bcdp-1, 0x1.80e8f02154f5bp+0, 2.687e-17)
CASE(atan2, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0x1.8c4e82889748cp+0, 5.129e-17)
CASE(atan2, 0x1.7ffff00000000p+2, 0x1.8000000000000p+1, 0x1.1b6e14ea777bap+0,
    -8.563e-17)
CASE(atan2, 0x1.6200000000000p+9, 0x1.p-60, 0x1.921fb54442d18p+0, 6.123e-17)
CASE(atan2, 0x1.7400000000000p+9, 0x1.6000000000000p+4, 0x1.8a8e614f985e9p+0,
    -5.781e-17)
CASE(atan2, 0x1.8000000000000p+1, 0x1.4000000000000p+1, 0x1.c08aae496efa6p-1, 6.822e-18)
CASE(atan2, 0x1.4000000000000p+3, 0x1.6000000000000p+4, 0x1.b4ddd66a37b40p-2,
    -2.712e-19)
CASE(atan2, 0x1.199999999999ap+0, -0x1.2c40000000000p+8, 0x1.91a7a8c90b01fp+1,
    -6.221e-17)
CASE(atan2, 0x1.ccccccccccccdp-1, 0x1.b580000000000p+12, 0x1.0da2427dec5cdp-13,
    1.799e-21)
CASE(atan2, 0x1.0000000000001p+0, 0x1.bc16d674ec800p+59, 0x1.2725dd1d243adp-60,
    -4.209e-35)
CASE(atan2, 0x1.999999999999ap-4, 0x1.434cccccccccdp+8, 0x1.4455d509c6e1dp-12,
    -6.007e-21)
CASE(atan2, 0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.30b6d796a4da8p+0, 7.683e-17)
CASE(atan2, -0x1.e000000000000p+2, 0x1.8000000000000p+1, -0x1.30b6d796a4da8p+0,
    -7.683e-17)
CASE(atan2, 0x1.7e43c8800759cp+996, 0x1.c000000000000p+2, 0x1.921fb54442d18p+0,
    6.123e-17)
CASE(atan2, -0x1.7e43c8800759cp+996, 0x1.3333333333333p-2, -0x1.921fb54442d18p+0,
    -6.123e-17)
CASE(atan2, 0x0.00000000007e8p-1022, 0x0.000000000025fp-1022, 0x1.4788bca7bb0bcp+0,
    9.529e-17)
CASE(hypot, 0x1.6ac5b262ca1ffp+849, 0x1.e0000000001c2p-20, 0x1.6ac5b262ca1ffp+849,
    3.005e-268)
CASE(hypot, 0x1.9e9cbbfd6080bp-31, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1,
    4.022e-19)
CASE(hypot, 0x1.62a88613629b6p+678, 0x1.0000000000001p-1, 0x1.62a88613629b6p+678,
    7.195e-206)
CASE(hypot, 0x1.e0000000001c2p-20, 0x1.8000000000000p+1, 0x1.80000000004b0p+1,
    9.466e-27)
CASE(hypot, 0x1.921fb54442d18p+0, 0x1.p-60, 0x1.921fb54442d18p+0, 2.395e-37)
CASE(hypot, 0x1.921fb54442d18p+1, 0x1.6000000000000p+4, 0x1.6392223ea9dabp+4,
    -5.645e-16)
CASE(hypot, 0x1.2d97c7f3321d2p+2, 0x1.e0000000001c2p-20, 0x1.2d97c7f332350p+2,
    -2.499e-17)
CASE(hypot, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.0e8b30a6e9181p+0, 9.302e-17)
CASE(hypot, 0x1.6a09e667f3bccp+0, 0x1.0000000000001p-1, 0x1.8000000000000p+0,
    -8.119e-17)
CASE(hypot, 0x1.6a09e667f3bcdp+0, 0x1.8000000000000p+1, 0x1.a887293fd6f34p+1, 8.035e-17)
CASE(hypot, 0x1.6a09e667f3bcdp-1, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 5.32e-37)
CASE(hypot, 0x1.62e42fefa39efp-2, 0x1.6000000000000p+4, 0x1.600b2e462d7f2p+4,
    -5.618e-16)
CASE(hypot, 0x1.62e42fefa39f0p-2, 0x1.e0000000001c2p-20, 0x1.62e42fefb7e8bp-2,
    1.301e-17)
CASE(hypot, 0x1.a827999fcef32p-2, 0x1.6a09e667f3bcdp-1, 0x1.a394ea0b486d3p-1,
    -4.806e-18)
CASE(hypot, 0x1.a827999fcef31p-2, 0x1.0000000000001p-1, 0x1.4c6f458bf39a2p-1, 1.754e-17)
CASE(hypot, 0x1.fffffffffffffp-2, 0x1.8000000000000p+1, 0x1.854bfb363dc39p+1, 1.659e-16)
CASE(hypot, 0x1.p-1, 0x1.p-60, 0x1.p-1, 7.523e-37)
CASE(hypot, 0x1.0000000000001p-1, 0x1.6000000000000p+4, 0x1.6017450c8d7f9p+4, 1.79e-16)
CASE(hypot, 0x1.fffffffffffffp-1, 0x1.e0000000001c2p-20, 0x1.0000000001c1fp+0, 1.11e-16)
CASE(hypot, 0x1.p+0, 0x1.6a09e667f3bcdp-1, 0x1.3988e1409212fp+0, -8.571e-17)
CASE(hypot, 0x1.0000000000001p+0, 0x1.0000000000001p-1, 0x1.1e3779b97f4a9p+0,
    -2.811e-17)
CASE(hypot, 0x1.8000000000000p+0, 0x1.8000000000000p+1, 0x1.ad5336963eefcp+1, -1.63e-16)
CASE(hypot, 0x1.p+1, 0x1.p-60, 0x1.p+1, 1.881e-37)
CASE(hypot, 0x1.4000000000000p+1, 0x1.6000000000000p+4, 0x1.6243f3b15e704p+4,
    -1.599e-15)
CASE(hypot, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0x1.80000000004b0p+1,
    9.466e-27)
CASE(hypot, 0x1.9000000000000p+6, 0x1.6a09e667f3bcdp-1, 0x1.90028f5a101a4p+6,
    -1.729e-15)
CASE(hypot, 0x1.fffffffffffffp+29, 0x1.0000000000001p-1, 0x1.fffffffffffffp+29,
    1.164e-10)
CASE(hypot, 0x1.p+30, 0x1.8000000000000p+1, 0x1.p+30, 4.191e-09)
CASE(hypot, 0x1.0000000000001p+30, 0x1.p-60, 0x1.0000000000001p+30, 3.503e-46)
CASE(hypot, 0x1.0f0cf064dd592p+73, 0x1.6000000000000p+4, 0x1.0f0cf064dd592p+73,
    2.42e-20)
CASE(hypot, 0x1.p-27, 0x1.e0000000001c2p-20, 0x1.e0011110c3814p-20, 2.092e-23)
CASE(hypot, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1, 5.32e-37)
CASE(hypot, 0x1.p-500, 0x1.0000000000001p-1, 0x1.0000000000001p-1, 9.333e-302)
CASE(hypot, 0x1.p-1022, 0x1.8000000000000p+1, 0x1.8000000000000p+1, 0)
CASE(hypot, 0x0.0000000006000p-1022, 0x1.p-60, 0x1.p-60, 0)
CASE(hypot, 0x0.0000000000001p-1022, 0x1.6000000000000p+4, 0x1.6000000000000p+4, 0)
CASE(hypot, 0x1.5000000000000p+3, 0x1.6a09e667f3bcdp-1, 0x1.50c2d3b4be170p+3, 8.548e-16)
CASE(hypot, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0x1.6017450c8d7f9p+4, 1.79e-16)
CASE(hypot, 0x1.7ffff00000000p+2, 0x1.8000000000000p+1, 0x1.ad532846ac1c2p+2,
    -1.122e-16)
CASE(hypot, 0x1.6200000000000p+9, 0x1.p-60, 0x1.6200000000000p+9, 5.313e-40)
CASE(hypot, 0x1.7400000000000p+9, 0x1.6000000000000p+4, 0x1.7429a0146a726p+9,
    -1.545e-14)
CASE(hypot, 0x1.8000000000000p+1, 0x1.4000000000000p+1, 0x1.f3db2174e7468p+1, 2.087e-16)
CASE(hypot, 0x1.4000000000000p+3, 0x1.6000000000000p+4, 0x1.82a8500794e6cp+4,
    -5.254e-16)
CASE(hypot, 0x1.199999999999ap+0, -0x1.2c40000000000p+8, 0x1.2c40840dc46b7p+8,
    -2.205e-14)
CASE(hypot, 0x1.ccccccccccccdp-1, 0x1.b580000000000p+12, 0x1.b580003caae89p+12,
    5.314e-14)
CASE(hypot, 0x1.0000000000001p+0, 0x1.bc16d674ec800p+59, 0x1.bc16d674ec800p+59, 5e-19)
CASE(hypot, 0x1.999999999999ap-4, 0x1.434cccccccccdp+8, 0x1.434ccdd044aa9p+8, 1.467e-14)
CASE(hypot, 0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.027ce7b7ea376p+3, 8.819e-16)
CASE(hypot, -0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.027ce7b7ea376p+3,
    8.819e-16)
CASE(hypot, 0x1.7e43c8800759cp+996, 0x1.c000000000000p+2, 0x1.7e43c8800759cp+996,
    2.45e-299)
CASE(hypot, -0x1.7e43c8800759cp+996, 0x1.3333333333333p-2, 0x1.7e43c8800759cp+996,
    4.5e-302)
CASE(mod, 0x1.6ac5b262ca1ffp+849, 0x1.e0000000001c2p-20, 0x1.518a8c3882b22p-20, 0)
CASE(mod, 0x1.9e9cbbfd6080bp-31, 0x1.6a09e667f3bcdp-1, 0x1.9e9cbbfd6080bp-31, 0)
CASE(mod, 0x1.62a88613629b6p+678, 0x1.0000000000001p-1, 0x1.d5779ec9d64b8p-2, 0)
CASE(mod, 0x1.e0000000001c2p-20, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0)
CASE(mod, 0x1.921fb54442d18p+0, 0x1.p-60, 0x0.0p+0, 0)
CASE(mod, 0x1.921fb54442d18p+1, 0x1.6000000000000p+4, 0x1.921fb54442d18p+1, 0)
CASE(mod, 0x1.2d97c7f3321d2p+2, 0x1.e0000000001c2p-20, 0x1.bccc82dd06ec4p-20, 0)
CASE(mod, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.40ae76e278a58p-4, 0)
CASE(mod, 0x1.6a09e667f3bccp+0, 0x1.0000000000001p-1, 0x1.a827999fcef2cp-2, 0)
CASE(mod, 0x1.6a09e667f3bcdp+0, 0x1.8000000000000p+1, 0x1.6a09e667f3bcdp+0, 0)
CASE(mod, 0x1.6a09e667f3bcdp-1, 0x1.p-60, 0x0.0p+0, 0)
CASE(mod, 0x1.62e42fefa39efp-2, 0x1.6000000000000p+4, 0x1.62e42fefa39efp-2, 0)
CASE(mod, 0x1.62e42fefa39f0p-2, 0x1.e0000000001c2p-20, 0x1.dfbe8e28d2a0ep-20, 0)
CASE(mod, 0x1.a827999fcef32p-2, 0x1.6a09e667f3bcdp-1, 0x1.a827999fcef32p-2, 0)
CASE(mod, 0x1.a827999fcef31p-2, 0x1.0000000000001p-1, 0x1.a827999fcef31p-2, 0)
CASE(mod, 0x1.fffffffffffffp-2, 0x1.8000000000000p+1, 0x1.fffffffffffffp-2, 0)
CASE(mod, 0x1.p-1, 0x1.p-60, 0x0.0p+0, 0)
CASE(mod, 0x1.0000000000001p-1, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0)
CASE(mod, 0x1.fffffffffffffp-1, 0x1.e0000000001c2p-20, 0x1.fffffe1f001e0p-21, 0)
CASE(mod, 0x1.p+0, 0x1.6a09e667f3bcdp-1, 0x1.2bec333018866p-2, 0)
CASE(mod, 0x1.0000000000001p+0, 0x1.0000000000001p-1, 0x0.0p+0, 0)
CASE(mod, 0x1.8000000000000p+0, 0x1.8000000000000p+1, 0x1.8000000000000p+0, 0)
CASE(mod, 0x1.p+1, 0x1.p-60, 0x0.0p+0, 0)
CASE(mod, 0x1.4000000000000p+1, 0x1.6000000000000p+4, 0x1.4000000000000p+1, 0)
CASE(mod, 0x1.8000000000000p+1, 0x1.e0000000001c2p-20, 0x1.1ffffd300010ep-20, 0)
CASE(mod, 0x1.9000000000000p+6, 0x1.6a09e667f3bcdp-1, 0x1.3118317d8202ep-2, 0)
CASE(mod, 0x1.fffffffffffffp+29, 0x1.0000000000001p-1, 0x1.ffffe80000002p-2, 0)
CASE(mod, 0x1.p+30, 0x1.8000000000000p+1, 0x1.p+0, 0)
CASE(mod, 0x1.0000000000001p+30, 0x1.p-60, 0x0.0p+0, 0)
CASE(mod, 0x1.0f0cf064dd592p+73, 0x1.6000000000000p+4, 0x1.8000000000000p+3, 0)
CASE(mod, 0x1.p-27, 0x1.e0000000001c2p-20, 0x1.p-27, 0)
CASE(mod, 0x1.p-60, 0x1.6a09e667f3bcdp-1, 0x1.p-60, 0)
CASE(mod, 0x1.p-500, 0x1.0000000000001p-1, 0x1.p-500, 0)
CASE(mod, 0x1.p-1022, 0x1.8000000000000p+1, 0x1.p-1022, 0)
CASE(mod, 0x1.fffffffffffffp+1023, 0x1.e0000000001c2p-20, 0x1.e04c24a530150p-21, 0)
CASE(mod, 0x1.5000000000000p+3, 0x1.6a09e667f3bcdp-1, 0x1.33756650abacap-1, 0)
CASE(mod, 0x1.6000000000000p+4, 0x1.0000000000001p-1, 0x1.fffffffffffaap-2, 0)
CASE(mod, 0x1.7ffff00000000p+2, 0x1.8000000000000p+1, 0x1.7fffe00000000p+1, 0)
CASE(mod, 0x1.6200000000000p+9, 0x1.p-60, 0x0.0p+0, 0)
CASE(mod, 0x1.7400000000000p+9, 0x1.6000000000000p+4, 0x1.2000000000000p+4, 0)
CASE(mod, 0x1.8000000000000p+1, 0x1.4000000000000p+1, 0x1.p-1, 0)
CASE(mod, 0x1.4000000000000p+3, 0x1.6000000000000p+4, 0x1.4000000000000p+3, 0)
CASE(mod, 0x1.199999999999ap+0, -0x1.2c40000000000p+8, -0x1.2b26666666666p+8,
    -2.265e-14)
CASE(mod, 0x1.ccccccccccccdp-1, 0x1.b580000000000p+12, 0x1.ccccccccccccdp-1, 0)
CASE(mod, 0x1.0000000000001p+0, 0x1.bc16d674ec800p+59, 0x1.0000000000001p+0, 0)
CASE(mod, 0x1.999999999999ap-4, 0x1.434cccccccccdp+8, 0x1.999999999999ap-4, 0)
CASE(mod, 0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.8000000000000p+0, 0)
CASE(mod, -0x1.e000000000000p+2, 0x1.8000000000000p+1, 0x1.8000000000000p+0, 0)
CASE(mod, 0x1.7e43c8800759cp+996, 0x1.c000000000000p+2, 0x1.p+0, 0)
CASE(mod, -0x1.7e43c8800759cp+996, 0x1.3333333333333p-2, 0x1.2c9bc7679e5b4p-3, 0)
>>>>>>> functions
