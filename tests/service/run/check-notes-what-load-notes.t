conf '[filter feed]' 'interfaces = b0 x0' 'port = 1,2'
got $XD run --check --config /mnt/conf; has 'note: [filter feed]: several ports are'
has 'note: [filter feed]: b0 has no native XDP'; has '1 filter'
