-- example_classes_of_node-kept
SELECT
  "l0"."label" AS "label_1",
  "l1"."label" AS "label_2",
  "l2"."label" AS "label_3",
  "l3"."label" AS "label_4",
  c.row_count,
  c.class_size
FROM (
  SELECT h.*
  FROM (
    SELECT
      g."key_1",
      g."key_2",
      CONCAT(CAST("g"."key_1" AS VARCHAR), ' ',CAST("g"."key_2" AS VARCHAR), ' ') AS key_text,
      g.row_count,
      g."entities" AS class_size
    FROM (
SELECT
    t.node,
    t."key_1",
    t."key_2",
    COUNT(DISTINCT t.entity) AS entities,
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM "every class of" AS t
  LEFT JOIN (
    SELECT DISTINCT node, "key_1", "key_2"
    FROM "every class of" AS d
  ) AS k
    ON t.node = k.node AND t."key_1" = k."key_1" AND t."key_2" = k."key_2"
  GROUP BY t.node, t."key_1", t."key_2"    ) AS g
    WHERE "entities" >= 2 AND "kept" >= 1
  ) AS h
  ORDER BY (CAST(md5_number("h"."key_text") & 18446744073709551615 AS UBIGINT) >> 4)
  LIMIT 5
) AS c
LEFT JOIN "labels; --" AS "l0"
  ON "l0"."item" = 1 AND "l0"."key_1" = (c."key_1" & CAST(0 AS BIGINT)) AND "l0"."key_2" = (c."key_2" & CAST(0 AS BIGINT))
LEFT JOIN "labels; --" AS "l1"
  ON "l1"."item" = 3 AND "l1"."key_1" = (c."key_1" & CAST(24 AS BIGINT)) AND "l1"."key_2" = (c."key_2" & CAST(0 AS BIGINT))
LEFT JOIN "labels; --" AS "l2"
  ON "l2"."item" = 7 AND "l2"."key_1" = (c."key_1" & CAST(0 AS BIGINT)) AND "l2"."key_2" = (c."key_2" & CAST(6 AS BIGINT))
LEFT JOIN "labels; --" AS "l3"
  ON "l3"."item" = 11 AND "l3"."key_1" = (c."key_1" & CAST(0 AS BIGINT)) AND "l3"."key_2" = (c."key_2" & CAST(0 AS BIGINT))
ORDER BY (CAST(md5_number("c"."key_text") & 18446744073709551615 AS UBIGINT) >> 4)
