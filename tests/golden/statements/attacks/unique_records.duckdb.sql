-- unique_records
SELECT
  "key_0",
  "key_1"
FROM (
SELECT
  "key_0",
  "key_1",
  COUNT(candidate) AS candidates,
  SUM(known_record) AS known_records
FROM (
  SELECT
    decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "key_0",
    decode(encode(CAST("t"."age
of 👩" AS VARCHAR))) AS "key_1",
    1 AS candidate,
    0 AS known_record
  FROM "the source; DROP TABLE x" AS t
  UNION ALL
  SELECT
    decode(encode(CAST("k"."se""x" AS VARCHAR))) AS "key_0",
    decode(encode(CAST("k"."age
of 👩" AS VARCHAR))) AS "key_1",
    NULL AS candidate,
    1 AS known_record
  FROM "the source; DROP TABLE x" AS k
) AS r
GROUP BY "key_0", "key_1"
) AS l
WHERE known_records > 0 AND candidates = 1
ORDER BY encode(CAST("key_0" AS VARCHAR)) NULLS FIRST, encode(CAST("key_1" AS VARCHAR)) NULLS FIRST
LIMIT 3
