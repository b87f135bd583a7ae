# _FORTIFY_SOURCE only where it works.
hardened -fstack-protector-strong FORTIFY CFLAGS='-O2 -O0'
