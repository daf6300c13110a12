-- collated_columns
WITH RECURSIVE
component_types AS (
  SELECT attnum, atttypid AS oid
  FROM pg_attribute
  WHERE attrelid = CAST('"pub lic"."pe""ople"' AS REGCLASS) AND attnum > 0 AND NOT attisdropped
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
SELECT a.attname
FROM pg_attribute AS a
LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
WHERE a.attrelid = CAST('"pub lic"."pe""ople"' AS REGCLASS)
  AND a.attnum > 0
  AND NOT a.attisdropped
  AND (
    NOT c.collisdeterministic
    OR EXISTS (
      SELECT 1
      FROM component_types AS m
      JOIN pg_type AS t ON t.oid = m.oid AND t.typname = 'citext'
      WHERE m.attnum = a.attnum
    )
  )
