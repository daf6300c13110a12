-- reshape
ALTER TABLE "pub lic"."pe""ople"
  ALTER COLUMN "a b" DROP NOT NULL,
  DROP COLUMN "c",
  ALTER COLUMN "d""" TYPE text USING NULL,
  ADD COLUMN "e" bigint
