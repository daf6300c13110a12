-- likely_entries
SELECT
  COUNT(*) AS missing_values,
  SUM(CASE WHEN t.entry IS NOT NULL THEN 1 ELSE 0 END) AS trimmed,
  SUM(CASE WHEN f.entry IS NOT NULL THEN 1 ELSE 0 END) AS folded,
  SUM(CASE WHEN n.entry IS NOT NULL THEN 1 ELSE 0 END) AS numbers
FROM (
  SELECT CAST("d"."value" AS VARCHAR) AS label
  FROM "domain SELECT" AS d
  WHERE d.value IS NOT NULL
) AS m
LEFT JOIN (
  SELECT DISTINCT value AS entry
  FROM "paths SELECT" AS a
) AS p ON m.label = p.entry
LEFT JOIN (
  SELECT DISTINCT TRIM(value) AS entry
  FROM "paths SELECT" AS b
) AS t ON TRIM(m.label) = t.entry
LEFT JOIN (
  SELECT DISTINCT LOWER(TRIM(value)) AS entry
  FROM "paths SELECT" AS c
) AS f ON LOWER(TRIM(m.label)) = f.entry
LEFT JOIN (
  SELECT DISTINCT CASE WHEN CASE WHEN regexp_full_match(CAST("e"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("e"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("e"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("e"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END IS NOT NULL THEN CAST("e"."value" AS DOUBLE) END AS entry
  FROM "paths SELECT" AS e
) AS n ON CASE WHEN CASE WHEN regexp_full_match(CAST("m"."label" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("m"."label" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("m"."label" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("m"."label" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END IS NOT NULL THEN CAST("m"."label" AS DOUBLE) END = n.entry
WHERE p.entry IS NULL
