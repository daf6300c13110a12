-- matched_paths
CREATE TEMP TABLE "matched paths" AS
SELECT
  COALESCE(d.spelled, e.value) AS value,
  "e"."level_1",
  "e"."level_2"
FROM (
  SELECT
    MIN(MIN(value)) OVER (PARTITION BY form) AS value,
    form,
    "level_1",
    "level_2"
  FROM (
    SELECT
      p.*,
      TRIM("p"."value") AS form
    FROM "paths SELECT" AS p
  ) AS f
  GROUP BY form, "level_1", "level_2"
) AS e
LEFT JOIN (
  SELECT
    spelled,
    TRIM("s"."spelled") AS form
  FROM (SELECT CAST("v"."value" AS VARCHAR) AS spelled FROM "domain SELECT" AS v WHERE value IS NOT NULL) AS s
) AS d ON d.form = e.form
