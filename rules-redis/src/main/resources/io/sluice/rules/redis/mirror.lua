-- Replaces the hash of a rule, so that nobody sees fields of two rules in one.
--
-- KEYS[1]  rate_limit_config:<TYPE>:<target>
-- ARGV     fields and values in turn
-- Reply    1
-- Time     none. TTL: none. Cost: O(fields)
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
