asked 0 v0; says dispatcher - 'ok: the filter is alone'; asked 0 v0 --share
if values dispatcher - true; then says dispatcher - 'ok: libxdp'
else says dispatcher - 'note: libxdp'; fi
