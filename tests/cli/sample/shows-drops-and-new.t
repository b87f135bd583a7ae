$LOAD; listens v0; $SEND p0 7 2; $SEND p0 8 1; shown 3; stops
has '3 shown; not shown: 0 beyond --rate, 0 for want of room'
awk '{ print $2, $3, $4, $5, $6, $7, $8, $9, $10, NF }' /mnt/out >/mnt/fields
ids=ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
got cat /mnt/fields; is "pass new gsp v0 10.0.0.1:4001 > 10.0.0.2:8001 ${ids}0007 82 10
pass new gsp v0 10.0.0.1:4001 > 10.0.0.2:8001 ${ids}0008 82 10
drop duplicate gsp v0 10.0.0.1:4001 > 10.0.0.2:8001 ${ids}0008 82 10"
now=$(date +%H:%M)
cut -d' ' -f1 /mnt/out | grep -cE '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9][.][0-9]{6}$'
id=$(awk '$2 == "drop" { print $9 }' /mnt/out); got $XD test v0 $id; has known
ordinary
