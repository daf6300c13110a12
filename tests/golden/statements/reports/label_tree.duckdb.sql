-- label_tree
SELECT
  level,
  label,
  above,
  row_count,
  nodes
FROM (
  SELECT
    1 AS level,
    label,
    above,
    SUM(row_count) AS row_count,
    COUNT(*) OVER () AS nodes,
    ROW_NUMBER() OVER (ORDER BY SUM(row_count) DESC, encode(CAST("label" AS VARCHAR))) AS nth
  FROM (
    SELECT DISTINCT
      k.label AS own,
      CAST("p"."level_1" AS VARCHAR) AS label,
      CAST("p"."level_2" AS VARCHAR) AS above,
      k.row_count
    FROM "complete zip; --" AS p
    JOIN (
      SELECT
        "key_1" AS label,
        SUM(row_count) AS row_count
      FROM "report'ed rows" AS c
      GROUP BY "key_1"
    ) AS k ON k.label = COALESCE('v' || decode(encode(CAST("p"."level_1" AS VARCHAR))), '')
  ) AS n
  GROUP BY label, above
  UNION ALL
  SELECT
    2 AS level,
    label,
    above,
    SUM(row_count) AS row_count,
    COUNT(*) OVER () AS nodes,
    ROW_NUMBER() OVER (ORDER BY SUM(row_count) DESC, encode(CAST("label" AS VARCHAR))) AS nth
  FROM (
    SELECT DISTINCT
      k.label AS own,
      CAST("p"."level_2" AS VARCHAR) AS label,
      NULL AS above,
      k.row_count
    FROM "complete zip; --" AS p
    JOIN (
      SELECT
        "key_1" AS label,
        SUM(row_count) AS row_count
      FROM "report'ed rows" AS c
      GROUP BY "key_1"
    ) AS k ON k.label = COALESCE('v' || decode(encode(CAST("p"."level_1" AS VARCHAR))), '')
  ) AS n
  GROUP BY label, above
) AS t
WHERE nth <= 5
ORDER BY level, row_count DESC, label
