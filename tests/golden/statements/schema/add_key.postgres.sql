-- add_key
ALTER TABLE "key;ed" ADD PRIMARY KEY ("i'd")
