-- postgres
ALTER TABLE "pub lic"."pe""ople" NO INHERIT "pub lic"."o'ther"
