-- postgres
ALTER TABLE "pub lic"."pe""ople"
  DROP COLUMN "c",
  DROP COLUMN "d"
