asks iproute2 shellcheck $D/bin demo CLANG=none
