-- forget_key
RESET VARIABLE "kanon_key_7191c3cf"
