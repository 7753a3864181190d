-- Reads the hash of a rule. If the hash is larger than a rule can be, reports that and sends no content.
--
-- KEYS[1]  rate_limit_config:<TYPE>:<target>
-- ARGV[1]  the maximum number of fields
-- ARGV[2]  the maximum number of bytes of all names and values together
-- Reply    none | kind, type | fields, count | size, the field that exceeds the maximum | hash, field, value, …
-- Time     none. TTL: none. Cost: O(fields)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'none'}
elseif kind ~= 'hash' then
  return {'kind', kind}
end
local count = redis.call('HLEN', KEYS[1])
if count > tonumber(ARGV[1]) then
  return {'fields', tostring(count)}
end
local size = 0
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  size = size + #name + redis.call('HSTRLEN', KEYS[1], name)
  if size > tonumber(ARGV[2]) then
    return {'size', string.sub(name, 1, 64)}
  end
end
return {'hash', unpack(redis.call('HGETALL', KEYS[1]))}
