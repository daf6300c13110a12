-- crossed_people
SELECT
  COUNT(DISTINCT "c"."person") AS people,
  COUNT(DISTINCT CASE WHEN c.same < 2 THEN "c"."person" END) AS below
FROM (
  SELECT
    "c"."person",
    COUNT(*) OVER (PARTITION BY "c"."other_0", "c"."own_0") AS same
  FROM (
    SELECT DISTINCT
      "c"."person",
      "c"."other_0",
      "p"."se'x" AS "own_0"
    FROM (
      SELECT DISTINCT
        "s"."pa.tient" AS "person",
        "s"."wa;rd" AS "other_0"
      FROM "vis;its" AS s
    ) AS c
    JOIN "peo;ple of all" AS p ON "p"."i'd" = sha256(getvariable('kanon_outer_7191c3cf') || unhex(sha256(getvariable('kanon_inner_7191c3cf') || encode(('1:p:' || CAST("c"."person" AS VARCHAR))))))
  ) AS c
) AS c
