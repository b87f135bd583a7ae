lacks_it "$NO_CLANG" $D/refused-clang:$D/bin
