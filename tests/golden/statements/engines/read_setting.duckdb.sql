-- read_setting
SELECT current_setting('TimeZone')
