SHOW "TimeZone"
