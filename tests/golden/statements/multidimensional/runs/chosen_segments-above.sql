-- duckdb, postgres
CREATE TEMP TABLE "cho'sen" AS
SELECT
  j.begins,
  CASE WHEN (j.loss & 15) = 15 THEN j.ends ELSE (j.begins & -16) + 16 + (j.loss & 15) END AS ends
FROM "pai'rs" AS j
JOIN "hal'ves" AS a ON a.begins = j.begins AND a.ends = j.ends
UNION ALL
SELECT
  (j.begins & -16) + 16 + (j.loss & 15) AS begins,
  j.ends
FROM "pai'rs" AS j
JOIN "hal'ves" AS a ON a.begins = j.begins AND a.ends = j.ends
WHERE (j.loss & 15) < 15

-- spark
CREATE TEMP VIEW `cho'sen` AS
SELECT
  j.begins,
  CASE WHEN (j.loss & 15) = 15 THEN j.ends ELSE (j.begins & -16) + 16 + (j.loss & 15) END AS ends
FROM `pai'rs` AS j
JOIN `hal'ves` AS a ON a.begins = j.begins AND a.ends = j.ends
UNION ALL
SELECT
  (j.begins & -16) + 16 + (j.loss & 15) AS begins,
  j.ends
FROM `pai'rs` AS j
JOIN `hal'ves` AS a ON a.begins = j.begins AND a.ends = j.ends
WHERE (j.loss & 15) < 15
