-- failing_persons
CREATE TEMP TABLE "failing persons" AS
WITH persons AS (
  SELECT
    entity AS person,
    ARRAY_TO_STRING(LIST_SORT(LIST("tuple_text")), ',') AS signature,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM (
    SELECT
      entity,
      CONCAT(CAST("class_0" AS VARCHAR), ' ', CAST("class_1" AS VARCHAR), ' ', CAST("class_2" AS VARCHAR), ' ', CAST("class_3" AS VARCHAR), ' ', CAST(SUM(row_count) AS BIGINT)) AS tuple_text,
      CAST(SUM(row_count) AS BIGINT) AS row_count
    FROM "classes of persons" AS t
    GROUP BY entity, "class_0", "class_1", "class_2", "class_3"
  ) AS g
  GROUP BY entity
)
SELECT
  p.person AS entity,
  p.row_count
FROM persons AS p
WHERE p.signature NOT IN (
  SELECT signature
  FROM (
    SELECT
      t.*,
      s.signature
    FROM "classes of persons" AS t
    JOIN persons AS s ON s.person = t.entity
  ) AS r
  GROUP BY signature
  HAVING
    COUNT(DISTINCT "entity") >= 2 AND
    COUNT(DISTINCT "spread_0") >= 2 AND
    COUNT(DISTINCT "spread_1")
      + MAX(CASE WHEN "spread_1" IS NULL THEN 1 ELSE 0 END) >= 1
)
