-- postgres
ALTER PUBLICATION "pa""rt" DROP TABLE ONLY "pub lic"."o'ther"
