-- change_setting
SET LOCAL "TimeZone" = 'UTC'
