-- Replaces the hash of a rule atomically, so that a reader never sees the fields of two rules in one hash.
--
-- KEYS[1]  rate_limit_config:<TYPE>:<target>
-- ARGV     field, value, field, value, …
-- Reply    1
-- Time     none. TTL: none. Cost: O(fields)
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
