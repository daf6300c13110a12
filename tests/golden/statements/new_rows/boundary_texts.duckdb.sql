-- boundary_texts
SELECT
  CAST("b"."region" AS VARCHAR),
  CAST("b"."child" AS VARCHAR),
  CAST("b"."axis" AS VARCHAR),
  CAST("b"."side" AS VARCHAR),
  CAST("b"."row_count" AS VARCHAR),
  CAST("b"."low_0" AS VARCHAR),
  CAST("b"."high_0" AS VARCHAR),
  CAST("b"."low_1" AS VARCHAR),
  CAST("b"."high_1" AS VARCHAR),
  CAST("b"."level_2" AS VARCHAR),
  CAST("b"."label_2" AS VARCHAR)
FROM "kept si'des" AS b
ORDER BY b.axis, b.region
LIMIT 100
