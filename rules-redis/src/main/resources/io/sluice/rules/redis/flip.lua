-- Switches the version in force, if it still has the expected value. If two publishers release at the same time, one wins.
--
-- KEYS[1]  rate_limit_config_version
-- ARGV[1]  the expected value; '' for none, the name of its type in parentheses for a key that is not a text
-- ARGV[2]  the new value
-- ARGV[3]  the place of the last byte that is compared. A longer value is no version
-- Reply    1 if the version was switched, 0 if it had another value
-- Time     none. TTL: none, because the version in force must not expire. Cost: O(1)
local kind = redis.call('TYPE', KEYS[1]).ok
local now = ''
if kind == 'string' then
  now = redis.call('GETRANGE', KEYS[1], 0, ARGV[3])
elseif kind ~= 'none' then
  now = '(' .. kind .. ')'
end
if now ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
