-- forget_key
SELECT SET_CONFIG('kanon.kanon_key_7191c3cf', '', FALSE)
