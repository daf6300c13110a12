-- label_paths
CREATE TEMP TABLE "la'bels 0" AS
SELECT
  label,
  own,
  CASE WHEN "first_0" = "last_0" THEN "label_0" END AS "label_0",
  CASE WHEN "first_1" = "last_1" THEN "label_1" END AS "label_1",
  CASE WHEN "first_2" = "last_2" THEN "label_2" END AS "label_2"
FROM (
  SELECT
    n.*,
    MIN("label_0") OVER (PARTITION BY label) AS "first_0",
    MAX("label_0") OVER (PARTITION BY label) AS "last_0",
    MIN("label_1") OVER (PARTITION BY label) AS "first_1",
    MAX("label_1") OVER (PARTITION BY label) AS "last_1",
    MIN("label_2") OVER (PARTITION BY label) AS "first_2",
    MAX("label_2") OVER (PARTITION BY label) AS "last_2",
    CASE
      WHEN MIN(covered) OVER (PARTITION BY label) = MAX(covered) OVER (PARTITION BY label)
        AND MIN(least) OVER (PARTITION BY label) = MAX(least) OVER (PARTITION BY label)
        AND MIN(greatest) OVER (PARTITION BY label) = MAX(greatest) OVER (PARTITION BY label)
        THEN MIN(own) OVER (PARTITION BY label)
      ELSE MAX(own) OVER (PARTITION BY label)
    END AS chosen
  FROM (
    SELECT
      "s"."label_0" AS label,
      0 AS own,
      COUNT(*) AS covered,
      MIN(COALESCE("s"."label_0", '')) AS least,
      MAX(COALESCE("s"."label_0", '')) AS greatest,
      CASE WHEN 0 >= 0 AND MIN("s"."label_0") = MAX("s"."label_0") THEN MIN("s"."label_0") END AS "label_0",
      CASE WHEN 1 >= 0 AND MIN("s"."label_1") = MAX("s"."label_1") THEN MIN("s"."label_1") END AS "label_1",
      CASE WHEN 2 >= 0 AND MIN("s"."label_2") = MAX("s"."label_2") THEN MIN("s"."label_2") END AS "label_2"
    FROM "sp'ans-zip" AS s
    JOIN (
      SELECT DISTINCT decode(encode(CAST("r"."zip; --" AS VARCHAR))) AS label
      FROM "the source; DROP TABLE x" AS r
    ) AS r
      ON r.label = "s"."label_0"
    GROUP BY "s"."label_0"
    UNION ALL
    SELECT
      "s"."label_1" AS label,
      1 AS own,
      COUNT(*) AS covered,
      MIN(COALESCE("s"."label_0", '')) AS least,
      MAX(COALESCE("s"."label_0", '')) AS greatest,
      CASE WHEN 0 >= 1 AND MIN("s"."label_0") = MAX("s"."label_0") THEN MIN("s"."label_0") END AS "label_0",
      CASE WHEN 1 >= 1 AND MIN("s"."label_1") = MAX("s"."label_1") THEN MIN("s"."label_1") END AS "label_1",
      CASE WHEN 2 >= 1 AND MIN("s"."label_2") = MAX("s"."label_2") THEN MIN("s"."label_2") END AS "label_2"
    FROM "sp'ans-zip" AS s
    JOIN (
      SELECT DISTINCT decode(encode(CAST("r"."zip; --" AS VARCHAR))) AS label
      FROM "the source; DROP TABLE x" AS r
    ) AS r
      ON r.label = "s"."label_1"
    GROUP BY "s"."label_1"
  ) AS n
) AS l
WHERE own = chosen
