-- Switches the version in force, if it still has the expected value. If two publishers release at the same time, one wins.
--
-- KEYS[1]  rate_limit_config_version
-- ARGV[1]  the expected value; '' for none
-- ARGV[2]  the new value
-- Reply    1 if the version was switched, 0 if it had another value
-- Time     none. TTL: none, because the version in force must not expire. Cost: O(1)
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
