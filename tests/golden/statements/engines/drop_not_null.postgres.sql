-- drop_not_null
ALTER TABLE ONLY "pub lic"."pe""ople" ALTER COLUMN "a b" DROP NOT NULL
