-- postgres
ALTER TABLE ONLY "pub lic"."pe""ople" ADD COLUMN "ma""rk" DOUBLE PRECISION DEFAULT RANDOM()
