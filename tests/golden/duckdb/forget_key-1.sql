RESET VARIABLE "kanon_inner_7191c3cf"
