# An application may include each alone, in C and in C++.
cd $R/usr/local/include; for h in xdp-dedup*.h; do echo "#include <$h>" >$D/one
	cc -I. -Wall -Wextra -Werror -fsyntax-only -x c -std=c99 $D/one
	not command -v g++ || g++ -I. -Wall -Wextra -Werror -fsyntax-only -x c++ $D/one
done
