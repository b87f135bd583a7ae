# GET_FD_BY_ID of programs, maps, BTF and links, and GET_NEXT_ID of programs and links, need CAP_SYS_ADMIN: nothing is looked up so, but what is shared.
for cmd in 11 13 14 30 31; do X="$WITHOUT $cmd 1 $XD"; $X load v0 p0 --name v0 --port 80
$X add v0 $ID_A; $X test p0 $ID_A; got $X status; lacks unknown; $X save v0 /mnt/s
$X set v0 --ihave pass; $X resize v0 --capacity 20k; $X refresh; $X unload p0
$X load --replace v0; timeout 1 $X sample v0 || [ $? = 124 ]; $X unload v0; $X restore v0 /mnt/s v0
$X unload --all; idle v0; idle p0; clean; done
