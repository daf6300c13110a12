-- beside_source
CREATE TEMP VIEW "weigh'ed source" AS
SELECT
  s.*,
  "s"."se""x" AS "own 'se""x'",
  "s"."zip; --" AS "own 'zip; --'",
  "s"."age
of 👩" AS "own 'age
of 👩'",
  "s"."SELECT" AS "own 'SELECT'"
FROM "the source; DROP TABLE x" AS s
