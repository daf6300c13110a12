SELECT current_setting('TimeZone')
