lacks_it "$NO_CLANG (clang-16)" $ALL CLANG=clang-16
