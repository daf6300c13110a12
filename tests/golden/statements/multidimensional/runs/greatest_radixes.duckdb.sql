-- greatest_radixes
SELECT
  MAX(leaf_rows) AS leaf_rows,
  MAX("radix_0") AS "radix_0",
  MAX("radix_1") AS "radix_1",
  MAX("radix_2") AS "radix_2"
FROM "ord'ers" AS o
