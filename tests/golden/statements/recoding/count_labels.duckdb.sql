-- count_labels
SELECT
  (
    SELECT COUNT(DISTINCT label)
    FROM (
      SELECT decode(encode(CAST("t"."label" AS VARCHAR))) AS label
      FROM "released se""x" AS t
    ) AS l
  ) AS "labels_1"
