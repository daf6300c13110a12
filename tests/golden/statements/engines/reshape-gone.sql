-- postgres
ALTER TABLE ONLY "pub lic"."pe""ople"
  DROP COLUMN "c",
  DROP COLUMN "d"
