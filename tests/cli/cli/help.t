got $XD help 2>/dev/null
for v in load unload status rotate reset add test want size profile help; do has "
  $v "; done; lacks bench
$XD help 2>/dev/null >/mnt/a; $XD --help 2>/dev/null | cmp - /mnt/a
[ "$($XD --version)" = "xdp-dedup $VERSION" ]
$XD 2>/mnt/b >/mnt/c || [ $? = 2 ]; cmp /mnt/a /mnt/b; [ ! -s /mnt/c ]
# Texts begin in one column, those of long usages in the next line.
sed '/^  [^ ].*\]$/d; s/^  .\{42\} [^ ].*/ok/' /mnt/a >/mnt/b
not grep '^  ' /mnt/b
