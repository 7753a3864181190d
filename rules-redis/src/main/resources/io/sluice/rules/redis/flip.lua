-- Names the version in force, if it is still the one that was seen before: of two who publish at once one wins.
--
-- KEYS[1]  rate_limit_config_version
-- ARGV[1]  what it was; '' for none
-- ARGV[2]  what it is to be
-- Reply    1 if it was done, 0 if it was something else
-- Time     none. TTL: none, what is in force does not end by itself. Cost: O(1)
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
