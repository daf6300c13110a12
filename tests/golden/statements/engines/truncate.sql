-- postgres
TRUNCATE TABLE "pub lic"."pe""ople"
