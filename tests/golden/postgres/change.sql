SET LOCAL "TimeZone" = 'UTC'
