SET VARIABLE "kanon_key_kanon_test_key" = encode(getenv('KANON_TEST_KEY'))
