-- count_statistics
WITH RECURSIVE
partitions AS (
  SELECT c.oid, c.relkind, 0 AS depth
  FROM pg_class AS c
  WHERE c.oid = CAST('"pub lic"."pe""ople"' AS REGCLASS)
  UNION ALL
  SELECT c.oid, c.relkind, p.depth + 1
  FROM partitions AS p
  JOIN pg_inherits AS i ON i.inhparent = p.oid AND p.relkind = 'p'
  JOIN pg_class AS c ON c.oid = i.inhrelid
),
its AS (
  SELECT n.nspname, c.relname
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  LEFT JOIN pg_index AS x ON x.indexrelid = c.oid
  WHERE COALESCE(x.indrelid, c.oid) IN (SELECT oid FROM partitions)
)
SELECT
  (SELECT COUNT(*) FROM its JOIN pg_stats AS s ON s.schemaname = its.nspname AND s.tablename = its.relname)
  + (SELECT COUNT(*) FROM its JOIN pg_stats_ext AS s ON s.schemaname = its.nspname AND s.tablename = its.relname) AS there,
  (
    SELECT SUM(PG_STAT_GET_XACT_TUPLES_INSERTED(oid) + PG_STAT_GET_XACT_TUPLES_UPDATED(oid))
    FROM pg_class
    WHERE oid IN (CAST('pg_catalog.pg_statistic' AS REGCLASS), CAST('pg_catalog.pg_statistic_ext_data' AS REGCLASS))
  ) AS written
