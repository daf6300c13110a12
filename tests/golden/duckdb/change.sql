SET SESSION "TimeZone" = 'UTC'
