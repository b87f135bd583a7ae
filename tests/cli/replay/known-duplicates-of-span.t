known span
