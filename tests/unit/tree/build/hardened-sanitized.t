hardened stack-protector FORTIFY CFLAGS='-O2 -fsanitize=undefined'
