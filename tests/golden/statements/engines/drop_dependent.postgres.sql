-- drop_dependent-foreign_key
ALTER TABLE "pub lic"."o'ther" DROP CONSTRAINT "pa""rt"
