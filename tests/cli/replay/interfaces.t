made feeds; got replay feeds --profile moldudp64:26400; has 'by   nic0 '; has 'by   nic1 '
