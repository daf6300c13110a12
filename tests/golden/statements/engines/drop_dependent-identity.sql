-- postgres
ALTER TABLE ONLY "pub lic"."pe""ople" ALTER COLUMN "pa""rt" DROP IDENTITY
