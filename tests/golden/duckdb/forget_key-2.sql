RESET VARIABLE "kanon_outer_7191c3cf"
