SET "TimeZone" = 'UTC'
