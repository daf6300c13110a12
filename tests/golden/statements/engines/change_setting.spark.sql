-- change_setting
SET `TimeZone` = `UTC`
