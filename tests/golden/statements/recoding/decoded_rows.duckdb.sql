-- decoded_rows
CREATE TEMP VIEW "de;coded" AS
SELECT
  "t"."na'me",
  "t"."s.s.n",
  CAST("t"."se""x" AS VARCHAR) AS "se""x",
  "t"."zip; --",
  "t"."age
of 👩_low",
  "t"."age
of 👩_high",
  "t"."SELECT",
  "t"."dis'ease",
  "t"."ward 🏥",
  "t"."vis.it",
  "t"."_kanon_entity"
FROM "staged; co'des" AS t
