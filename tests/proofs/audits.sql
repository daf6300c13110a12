SELECT
  MD5(
    "s"."salt" || COALESCE(
      CAST(LENGTH(CAST("c"."se""x" AS TEXT)) AS TEXT) || ':' || CAST("c"."se""x" AS TEXT),
      '-'
    ) || COALESCE(
      CAST(LENGTH(CAST("c"."select" AS TEXT)) AS TEXT) || ':' || CAST("c"."select" AS TEXT),
      '-'
    )
  ) AS "class_hash",
  "c"."class_size" AS "class_size",
  2 AS "least",
  'se"x' || ', ' || 'select' AS "quasi_identifiers"
FROM (
  SELECT
    "se""x",
    "select",
    COUNT(*) AS "class_size"
  FROM "memory"."main"."released" AS "released"
  GROUP BY
    "se""x",
    "select"
) AS "c"
CROSS JOIN (
  SELECT
    CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS "salt"
) AS "s"
WHERE
  "c"."class_size" < 2
  OR NOT 'category' IN ('category', 'refuse')
  OR (
    'category' = 'refuse' AND (
      "c"."se""x" IS NULL OR "c"."select" IS NULL
    )
  );
SELECT
  MD5(
    "s"."salt" || COALESCE(
      CAST(LENGTH(CAST("c"."se""x" AS TEXT)) AS TEXT) || ':' || CAST("c"."se""x" AS TEXT),
      '-'
    ) || COALESCE(
      CAST(LENGTH(CAST("c"."select" AS TEXT)) AS TEXT) || ':' || CAST("c"."select" AS TEXT),
      '-'
    )
  ) AS "class_hash",
  "c"."class_size" AS "class_size",
  2 AS "least",
  'se"x' || ', ' || 'select' AS "quasi_identifiers"
FROM (
  SELECT
    "se""x",
    "select",
    COUNT(*) AS "class_size"
  FROM "memory"."main"."released" AS "released"
  GROUP BY
    "se""x",
    "select"
) AS "c"
CROSS JOIN (
  SELECT
    CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS "salt"
) AS "s"
WHERE
  "c"."class_size" < 2
  OR NOT 'refuse' IN ('category', 'refuse')
  OR (
    'refuse' = 'refuse' AND (
      "c"."se""x" IS NULL OR "c"."select" IS NULL
    )
  );
SELECT
  MD5(
    "s"."salt" || COALESCE(
      CAST(LENGTH(CAST("c"."se""x" AS TEXT)) AS TEXT) || ':' || CAST("c"."se""x" AS TEXT),
      '-'
    ) || COALESCE(
      CAST(LENGTH(CAST("c"."select" AS TEXT)) AS TEXT) || ':' || CAST("c"."select" AS TEXT),
      '-'
    )
  ) AS "class_hash",
  "c"."class_size" AS "class_size",
  2 AS "least",
  'se"x' || ', ' || 'select' AS "quasi_identifiers"
FROM (
  SELECT
    "se""x",
    "select",
    COUNT(DISTINCT "who; --") AS "class_size"
  FROM "memory"."main"."released" AS "released"
  GROUP BY
    "se""x",
    "select"
) AS "c"
CROSS JOIN (
  SELECT
    CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS "salt"
) AS "s"
WHERE
  "c"."class_size" < 2
  OR NOT 'category' IN ('category', 'refuse')
  OR (
    'category' = 'refuse' AND (
      "c"."se""x" IS NULL OR "c"."select" IS NULL
    )
  );
SELECT
  MD5(
    "s"."salt" || COALESCE(
      CAST(LENGTH(CAST("c"."se""x" AS TEXT)) AS TEXT) || ':' || CAST("c"."se""x" AS TEXT),
      '-'
    ) || COALESCE(
      CAST(LENGTH(CAST("c"."select" AS TEXT)) AS TEXT) || ':' || CAST("c"."select" AS TEXT),
      '-'
    )
  ) AS "class_hash",
  "c"."class_size" AS "class_size",
  2 AS "least",
  'se"x' || ', ' || 'select' AS "quasi_identifiers"
FROM (
  SELECT
    "se""x",
    "select",
    COUNT(DISTINCT "who; --") AS "class_size"
  FROM "memory"."main"."released" AS "released"
  GROUP BY
    "se""x",
    "select"
) AS "c"
CROSS JOIN (
  SELECT
    CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS "salt"
) AS "s"
WHERE
  "c"."class_size" < 2
  OR NOT 'refuse' IN ('category', 'refuse')
  OR (
    'refuse' = 'refuse' AND (
      "c"."se""x" IS NULL OR "c"."select" IS NULL
    )
  );
SELECT
  MD5(
    "s"."salt" || COALESCE(
      CAST(LENGTH(CAST("c"."se""x" AS TEXT)) AS TEXT) || ':' || CAST("c"."se""x" AS TEXT),
      '-'
    )
  ) AS "class_hash",
  "c"."class_size" AS "class_size",
  "c"."distinct_values" AS "distinct_values",
  2 AS "least",
  'dis''ease' AS "sensitive_column",
  'se"x' AS "quasi_identifiers"
FROM (
  SELECT
    "se""x",
    COUNT(*) AS "class_size",
    COUNT(DISTINCT "dis'ease") + MAX(CASE WHEN "dis'ease" IS NULL AND 'not_counted' = 'value' THEN 1 ELSE 0 END) AS "distinct_values"
  FROM "memory"."main"."released" AS "released"
  GROUP BY
    "se""x"
) AS "c"
CROSS JOIN (
  SELECT
    CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS "salt"
) AS "s"
WHERE
  "c"."distinct_values" < 2
  OR NOT 'category' IN ('category', 'refuse')
  OR NOT 'not_counted' IN ('not_counted', 'value')
  OR (
    'category' = 'refuse' AND (
      "c"."se""x" IS NULL
    )
  );
SELECT
  MD5(
    "s"."salt" || COALESCE(
      CAST(LENGTH(CAST("c"."se""x" AS TEXT)) AS TEXT) || ':' || CAST("c"."se""x" AS TEXT),
      '-'
    )
  ) AS "class_hash",
  "c"."class_size" AS "class_size",
  "c"."distinct_values" AS "distinct_values",
  2 AS "least",
  'dis''ease' AS "sensitive_column",
  'se"x' AS "quasi_identifiers"
FROM (
  SELECT
    "se""x",
    COUNT(*) AS "class_size",
    COUNT(DISTINCT "dis'ease") + MAX(CASE WHEN "dis'ease" IS NULL AND 'not_counted' = 'value' THEN 1 ELSE 0 END) AS "distinct_values"
  FROM "memory"."main"."released" AS "released"
  GROUP BY
    "se""x"
) AS "c"
CROSS JOIN (
  SELECT
    CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS "salt"
) AS "s"
WHERE
  "c"."distinct_values" < 2
  OR NOT 'refuse' IN ('category', 'refuse')
  OR NOT 'not_counted' IN ('not_counted', 'value')
  OR (
    'refuse' = 'refuse' AND (
      "c"."se""x" IS NULL
    )
  );
SELECT
  MD5(
    "s"."salt" || COALESCE(
      CAST(LENGTH(CAST("c"."se""x" AS TEXT)) AS TEXT) || ':' || CAST("c"."se""x" AS TEXT),
      '-'
    )
  ) AS "class_hash",
  "c"."class_size" AS "class_size",
  "c"."distinct_values" AS "distinct_values",
  2 AS "least",
  'dis''ease' AS "sensitive_column",
  'se"x' AS "quasi_identifiers"
FROM (
  SELECT
    "se""x",
    COUNT(*) AS "class_size",
    COUNT(DISTINCT "dis'ease") + MAX(CASE WHEN "dis'ease" IS NULL AND 'value' = 'value' THEN 1 ELSE 0 END) AS "distinct_values"
  FROM "memory"."main"."released" AS "released"
  GROUP BY
    "se""x"
) AS "c"
CROSS JOIN (
  SELECT
    CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS "salt"
) AS "s"
WHERE
  "c"."distinct_values" < 2
  OR NOT 'category' IN ('category', 'refuse')
  OR NOT 'value' IN ('not_counted', 'value')
  OR (
    'category' = 'refuse' AND (
      "c"."se""x" IS NULL
    )
  );
SELECT
  "c"."source_rows" AS "source_rows",
  "c"."source_rows" - "c"."released_rows" AS "suppressed_rows",
  "c"."most" AS "most"
FROM (
  SELECT
    "s"."source_rows" AS "source_rows",
    "r"."released_rows" AS "released_rows",
    CASE
      WHEN REPLACE(CAST(2 AS TEXT), '%', '') <> CAST(2 AS TEXT)
      THEN FLOOR(
        "s"."source_rows" * CAST(REPLACE(CAST(2 AS TEXT), '%', '') AS DECIMAL(9, 4)) / 100
      )
      ELSE CAST(REPLACE(CAST(2 AS TEXT), '%', '') AS DECIMAL(18, 0))
    END AS "most"
  FROM (
    SELECT
      COUNT(*) AS "source_rows"
    FROM "source" AS "source"
  ) AS "s"
  CROSS JOIN (
    SELECT
      COUNT(*) AS "released_rows"
    FROM "memory"."main"."released" AS "released"
  ) AS "r"
) AS "c"
WHERE
  "c"."source_rows" - "c"."released_rows" > "c"."most"
  OR "c"."source_rows" < "c"."released_rows";
SELECT
  "c"."source_rows" AS "source_rows",
  "c"."source_rows" - "c"."released_rows" AS "suppressed_rows",
  "c"."most" AS "most"
FROM (
  SELECT
    "s"."source_rows" AS "source_rows",
    "r"."released_rows" AS "released_rows",
    CASE
      WHEN REPLACE(CAST('50%' AS TEXT), '%', '') <> CAST('50%' AS TEXT)
      THEN FLOOR(
        "s"."source_rows" * CAST(REPLACE(CAST('50%' AS TEXT), '%', '') AS DECIMAL(9, 4)) / 100
      )
      ELSE CAST(REPLACE(CAST('50%' AS TEXT), '%', '') AS DECIMAL(18, 0))
    END AS "most"
  FROM (
    SELECT
      COUNT(*) AS "source_rows"
    FROM "source" AS "source"
  ) AS "s"
  CROSS JOIN (
    SELECT
      COUNT(*) AS "released_rows"
    FROM "memory"."main"."released" AS "released"
  ) AS "r"
) AS "c"
WHERE
  "c"."source_rows" - "c"."released_rows" > "c"."most"
  OR "c"."source_rows" < "c"."released_rows";
