SELECT
  attname,
  FORMAT_TYPE(atttypid, atttypmod)
FROM pg_attribute
WHERE attrelid = CAST('"the source; DROP TABLE x"' AS REGCLASS) AND attnum > 0 AND NOT attisdropped
ORDER BY attnum
