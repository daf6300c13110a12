-- truncate
TRUNCATE TABLE "pub lic"."pe""ople"
