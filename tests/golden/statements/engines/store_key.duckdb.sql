-- store_key
SET VARIABLE "kanon_key_7191c3cf" = ?
