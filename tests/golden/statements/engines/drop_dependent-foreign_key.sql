-- postgres
ALTER TABLE "pub lic"."o'ther" DROP CONSTRAINT "pa""rt"
