-- holds_definition
SELECT COUNT(*)
FROM pg_locks AS l
WHERE l.locktype = 'relation' AND l.mode = 'ShareUpdateExclusiveLock' AND l.granted AND l.pid = 7
  AND l.database = (SELECT oid FROM pg_database WHERE datname = CURRENT_DATABASE())
  AND l.relation = CAST('"pub lic"."pe""ople"' AS REGCLASS)
  AND NOT PG_IS_IN_RECOVERY() AND NOT ROW_SECURITY_ACTIVE(CAST('"pub lic"."pe""ople"' AS REGCLASS))
  AND HAS_TABLE_PRIVILEGE(CAST('"pub lic"."pe""ople"' AS REGCLASS), 'SELECT')
