-- postgres
ALTER TABLE "pub lic"."o'ther" DETACH PARTITION "pub lic"."pe""ople"
