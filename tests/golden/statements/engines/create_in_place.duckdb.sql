-- create_in_place
CREATE TABLE "main"."in ""place" (
  "se""x" VARCHAR DEFAULT ('it''s') NOT NULL,
  "zip; --" VARCHAR,
  CHECK("se""x" <> '')
)
