-- postgres
ALTER TABLE "pub lic"."o'ther" ALTER COLUMN "pa""rt" DROP IDENTITY
