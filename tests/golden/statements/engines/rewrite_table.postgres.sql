-- rewrite_table
ALTER TABLE "pub lic"."pe""ople" ADD COLUMN "ma""rk" DOUBLE PRECISION DEFAULT RANDOM()
