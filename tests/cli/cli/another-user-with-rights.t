# Who is not root, and has the rights and access to root's pins, uses root's filters, but cannot change
# them: root could not use what he makes.
caps=+bpf,+perfmon,+net_admin,+dac_override
other="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps $caps --ambient-caps $caps /mnt/tool"
mine='/sys/fs/bpf/xdp-dedup belongs to another user'
$LOAD; got $other status v0; has 'v0 (native)'; got $other add v0 $ID_A; is "$ID_A new"
got $other test v0 $ID_A; $other rotate v0; $other save v0 /mnt/saved
fails "$mine" $other set v0 --ihave pass; fails "$mine" $other load p0 --port 9
fails "$mine" $other unload v0; $XD unload v0; clean
