hardened '-D_FORTIFY_SOURCE=2.*-fstack-protector-strong.* -O2' '-fPIC.*-fPIE'
