lacks_it "$NO_CLANG" $D/bin
