-- columns_of
WITH RECURSIVE
component_types AS (
  SELECT attnum, atttypid AS oid
  FROM pg_attribute
  WHERE attrelid = CAST('"the source; DROP TABLE x"' AS REGCLASS) AND attnum > 0 AND NOT attisdropped
  UNION
  SELECT m.attnum, n.oid
  FROM component_types AS m
  CROSS JOIN LATERAL (
    SELECT d.refobjid AS oid
    FROM pg_depend AS d
    WHERE d.objid = m.oid AND d.classid = CAST('pg_type' AS REGCLASS) AND d.refclassid = CAST('pg_type' AS REGCLASS)
    UNION ALL
    SELECT a.atttypid AS oid
    FROM pg_type AS t
    JOIN pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE t.oid = m.oid
  ) AS n
)
SELECT
  a.attname,
  FORMAT_TYPE(a.atttypid, a.atttypmod),
  EXISTS (
    SELECT 1
    FROM component_types AS m
    JOIN pg_type AS t ON t.oid = m.oid AND t.typtype = 'e'
    WHERE m.attnum = a.attnum
  ) AS is_enum
FROM pg_attribute AS a
WHERE a.attrelid = CAST('"the source; DROP TABLE x"' AS REGCLASS) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
