-- label_rows
SELECT
  0 AS quasi,
  r.label,
  r.row_count,
  NULL AS source_rows,
  r.labels,
  r.all_rows,
  NULL AS own
FROM (
  SELECT
    label,
    row_count,
    COUNT(*) OVER () AS labels,
    SUM(row_count) OVER () AS all_rows,
    ROW_NUMBER() OVER (ORDER BY row_count DESC, encode(CAST("label" AS VARCHAR))) AS nth
  FROM (
    SELECT
      "key_0" AS label,
      SUM(row_count) AS row_count
    FROM "report'ed rows" AS c
    GROUP BY "key_0"
  ) AS g
) AS r
WHERE r.nth <= 3
UNION ALL
SELECT
  1 AS quasi,
  r.label,
  r.row_count,
  l.row_count AS source_rows,
  r.labels,
  r.all_rows,
  CASE WHEN o.label IS NULL THEN 0 ELSE 1 END AS own
FROM (
  SELECT
    label,
    row_count,
    COUNT(*) OVER () AS labels,
    SUM(row_count) OVER () AS all_rows,
    ROW_NUMBER() OVER (ORDER BY row_count DESC, encode(CAST("label" AS VARCHAR))) AS nth
  FROM (
    SELECT
      "key_1" AS label,
      SUM(row_count) AS row_count
    FROM "report'ed rows" AS c
    GROUP BY "key_1"
  ) AS g
) AS r
LEFT JOIN "measu'red labels zip; --" AS l ON l.label = r.label
LEFT JOIN (
  SELECT DISTINCT COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS label
  FROM "domain zip; --" AS d
  WHERE d.value IS NOT NULL
) AS o ON o.label = r.label
WHERE r.nth <= 3
UNION ALL
SELECT
  2 AS quasi,
  r.label,
  r.row_count,
  l.row_count AS source_rows,
  r.labels,
  r.all_rows,
  CASE WHEN o.label IS NULL THEN 0 ELSE 1 END AS own
FROM (
  SELECT
    label,
    row_count,
    COUNT(*) OVER () AS labels,
    SUM(row_count) OVER () AS all_rows,
    ROW_NUMBER() OVER (ORDER BY row_count DESC, encode(CAST("label" AS VARCHAR))) AS nth
  FROM (
    SELECT
      "key_2" AS label,
      SUM(row_count) AS row_count
    FROM "report'ed rows" AS c
    GROUP BY "key_2"
  ) AS g
) AS r
LEFT JOIN "measu'red labels age
of 👩" AS l ON l.label = r.label
LEFT JOIN (
  SELECT DISTINCT COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS label
  FROM "domain age
of 👩" AS d
  WHERE d.value IS NOT NULL
) AS o ON o.label = r.label
WHERE r.nth <= 3
UNION ALL
SELECT
  3 AS quasi,
  r.label,
  r.row_count,
  l.row_count AS source_rows,
  r.labels,
  r.all_rows,
  CASE WHEN o.label IS NULL THEN 0 ELSE 1 END AS own
FROM (
  SELECT
    label,
    row_count,
    COUNT(*) OVER () AS labels,
    SUM(row_count) OVER () AS all_rows,
    ROW_NUMBER() OVER (ORDER BY row_count DESC, encode(CAST("label" AS VARCHAR))) AS nth
  FROM (
    SELECT
      "key_3" AS label,
      SUM(row_count) AS row_count
    FROM "report'ed rows" AS c
    GROUP BY "key_3"
  ) AS g
) AS r
LEFT JOIN "measu'red labels SELECT" AS l ON l.label = r.label
LEFT JOIN (
  SELECT DISTINCT COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS label
  FROM "domain SELECT" AS d
  WHERE d.value IS NOT NULL
) AS o ON o.label = r.label
WHERE r.nth <= 3
ORDER BY quasi, row_count DESC, label
