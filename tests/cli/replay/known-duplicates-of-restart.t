known restart
