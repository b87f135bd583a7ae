# A user's build directory: nothing in it becomes root's, though man pages and units are missing.
# It is a layer over the real one.
setpriv --reuid=65534 test -r Makefile || exit 77
export build="${BUILD:-build}"; mkdir $R/up $R/work; touch $R/begin
unshare -m sh -exc 'mount -t overlay -o lowerdir=$build,upperdir=$R/up,workdir=$R/work overlay $build
cd $build; rm -rf man completion here *.pc *.service; find -type d -exec chown 65534 {} +
cd -; env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s install install-bench DESTDIR=$R/d
[ $(find $build -newer $R/begin ! -type d | wc -l) -ge 10 ]
find $build -newer $R/begin ! -uid 65534 | diff /dev/null -'
