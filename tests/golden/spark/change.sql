SET `TimeZone` = `UTC`
