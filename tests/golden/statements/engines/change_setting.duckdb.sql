-- change_setting
SET SESSION "TimeZone" = 'UTC'
