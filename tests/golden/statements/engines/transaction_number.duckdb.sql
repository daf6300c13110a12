-- transaction_number
SELECT txid_current()
