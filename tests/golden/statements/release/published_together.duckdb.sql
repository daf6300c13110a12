-- published_together
CREATE TEMP VIEW "both; --" AS
SELECT
  "se""x" AS "se""x",
  "zip; --" AS "zip; --",
  "age
of 👩_low" AS "age
of 👩_low",
  "age
of 👩_high" AS "age
of 👩_high",
  "SELECT" AS "SELECT",
  CAST("ward 🏥" AS VARCHAR) AS "ward 🏥"
FROM "staged'" AS t
UNION ALL
SELECT
  "se""x" AS "se""x",
  "zip; --" AS "zip; --",
  "age
of 👩_low" AS "age
of 👩_low",
  "age
of 👩_high" AS "age
of 👩_high",
  "SELECT" AS "SELECT",
  CAST("ward 🏥" AS VARCHAR) AS "ward 🏥"
FROM "staged'" AS t
