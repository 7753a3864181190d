-- Claims the right to write for a center, unless a later claim was made. A claim is the term of a leader and a number within it, such
-- as '7 1'. Both only rise.
--
-- KEYS[1]  rate_limit_config_term, or a key of that kind in the slot of the keys to write
-- ARGV[1]  the claim
-- Reply    1. The error OLDCLAIM with the later claim if there is one
-- Time     none. TTL: none, because a claim must not expire. Cost: O(1)
local found = redis.pcall('GET', KEYS[1])
if found == ARGV[1] then
  return 1
end
if type(found) == 'string' and #found < 32 then
  local term, number = string.match(found, '^(%d+) (%d+)$')
  local own_term, own_number = string.match(ARGV[1], '^(%d+) (%d+)$')
  term, number, own_term, own_number = tonumber(term), tonumber(number), tonumber(own_term), tonumber(own_number)
  if term and term < 1e15 and (term > own_term or (term == own_term and number > own_number)) then
    return redis.error_reply('OLDCLAIM ' .. found)
  end
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
