-- label_paths
CREATE TEMP TABLE "la'bels 0" AS
SELECT
  l.*
FROM (
  SELECT
    n.*,
    MIN(own) OVER (PARTITION BY label) AS lowest
  FROM (
    SELECT
      "s"."label_0" AS label,
      0 AS own,
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
    UNION ALL
    SELECT
      "s"."label_2" AS label,
      2 AS own,
      CASE WHEN 0 >= 2 AND MIN("s"."label_0") = MAX("s"."label_0") THEN MIN("s"."label_0") END AS "label_0",
      CASE WHEN 1 >= 2 AND MIN("s"."label_1") = MAX("s"."label_1") THEN MIN("s"."label_1") END AS "label_1",
      CASE WHEN 2 >= 2 AND MIN("s"."label_2") = MAX("s"."label_2") THEN MIN("s"."label_2") END AS "label_2"
    FROM "sp'ans-zip" AS s
    JOIN (
      SELECT DISTINCT decode(encode(CAST("r"."zip; --" AS VARCHAR))) AS label
      FROM "the source; DROP TABLE x" AS r
    ) AS r
      ON r.label = "s"."label_2"
    GROUP BY "s"."label_2"
  ) AS n
) AS l
WHERE own = lowest
