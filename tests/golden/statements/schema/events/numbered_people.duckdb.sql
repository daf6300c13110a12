-- numbered_people
CREATE TEMP TABLE "eve'nt numbered" AS
SELECT
  "p"."i'd" AS person_key,
  ROW_NUMBER() OVER (ORDER BY "p"."i'd") AS person_id,
  DENSE_RANK() OVER (ORDER BY "p"."se'x") AS class_id
FROM "peo;ple of all" AS p
