-- set_owner
ALTER TABLE "pub lic"."o'ther" OWNER TO "ow""ner"
