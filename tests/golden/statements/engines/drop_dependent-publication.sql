-- postgres
ALTER PUBLICATION "pa""rt" DROP TABLE "pub lic"."pe""ople"
