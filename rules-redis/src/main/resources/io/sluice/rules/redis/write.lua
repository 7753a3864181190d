-- Writes a key for the center that made the last claim. A write that was under way while another center took over is refused, and so is one
-- that would replace something newer. Comparing and writing are one step.
--
-- KEYS[1]  where the claim is, see claim.lua
-- KEYS[2]  the key to write
-- ARGV[1]  the claim of the writer; '' for a program that is no center and makes no claims
-- ARGV[2]  what to do, with the arguments that follow:
--          switch   the expected value, the new value, the place of the last byte that is compared. The expected value is '' for none, and
--                   the name of its type in parentheses for a key that is not a text
--          adjust   the new value, its revision. Something with a higher revision stays
--          add      the new value. A key that exists stays
--          set      the new value, its time to live in milliseconds; 0 for none
--          hash     field, value, field, value, …. Replaces all fields, so that a reader never sees those of two rules
--          unlink   nothing
--          srem     members
-- Reply    1 if it was written, 0 if something else was there. The error OLDCLAIM with the last claim if that is later, NOCLAIM if it is not
--          the claim of the writer for any other reason
-- Time     none. TTL: as given; keys of a release must not expire. Cost: O(arguments)
if ARGV[1] ~= '' then
  local found = redis.pcall('GET', KEYS[1])
  if found ~= ARGV[1] then
    if type(found) == 'string' and #found < 32 then
      local term, number = string.match(found, '^(%d+) (%d+)$')
      local own_term, own_number = string.match(ARGV[1], '^(%d+) (%d+)$')
      term, number, own_term, own_number = tonumber(term), tonumber(number), tonumber(own_term), tonumber(own_number)
      if term and term < 1e15 and (term > own_term or (term == own_term and number > own_number)) then
        return redis.error_reply('OLDCLAIM ' .. found)
      end
    end
    return redis.error_reply('NOCLAIM claim again')
  end
end
local key, what = KEYS[2], ARGV[2]
if what == 'switch' then
  local kind = redis.call('TYPE', key).ok
  local now = ''
  if kind == 'string' then
    now = redis.call('GETRANGE', key, 0, ARGV[5])
  elseif kind ~= 'none' then
    now = '(' .. kind .. ')'
  end
  if now ~= ARGV[3] then
    return 0
  end
  redis.call('SET', key, ARGV[4])
elseif what == 'adjust' then
  if redis.call('TYPE', key).ok == 'string' then
    local found = string.match(redis.call('GETRANGE', key, 0, 40), '^{"revision":(%d+),')
    if found and #found < 16 and tonumber(found) > tonumber(ARGV[4]) then
      return 0
    end
  end
  redis.call('SET', key, ARGV[3])
elseif what == 'add' then
  if not redis.call('SET', key, ARGV[3], 'NX') then
    return 0
  end
elseif what == 'set' then
  if ARGV[4] == '0' then
    redis.call('SET', key, ARGV[3])
  else
    redis.call('SET', key, ARGV[3], 'PX', ARGV[4])
  end
elseif what == 'hash' then
  redis.call('DEL', key)
  redis.call('HSET', key, unpack(ARGV, 3))
elseif what == 'unlink' then
  redis.call('UNLINK', key)
elseif what == 'srem' then
  redis.call('SREM', key, unpack(ARGV, 3))
end
return 1
