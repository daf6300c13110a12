-- read_setting
SHOW "TimeZone"
