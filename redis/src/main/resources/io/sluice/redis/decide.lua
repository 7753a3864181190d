#!lua
-- Decides a list of demands, all or nothing, in one step; or looks; or gives back what was charged.
--
-- KEYS     one count per demand, in the order of the demands
-- ARGV[1]  '' to decide by TIME; else the time in microseconds (for tests: the vectors bring their own)
-- ARGV[2]  'charge', 'look' or 'back'
-- ARGV[3…] seven for each key:
--          kind      'tb' token bucket, 'sl' sliding log
--          permits   wanted; with 'back', to give back
--          at_least  smallest useful grant
--          max_wait  microseconds; with 'back', when it was charged
--          capacity  burst (0 for a rate of 0), or limit
--          flow, per permits per microseconds (tb); window in microseconds and 0 (sl)
--
-- Reply    {now, allowed, then seven for each key: fits, granted, remaining, retry, reset, wait, charged_at}, times in
--          microseconds, -1 for never. With 'back': {now}.
-- State    tb: string "used parts of at": used + parts/of permits are used as of at
--          sl: list, first "used newest", then "time permits" for each admission, oldest first
-- TTL      set with every write, until the count is as if unused, and a second more for clocks that step back. A count
--          that has expired and one that has aged to nothing give the same answers: the TTL carries no state.
-- Cost     one MGET for all buckets, one SET for each charged; a log costs one LRANGE, and three or four writes
-- Twin     io.sluice.core.algorithm: Pace, TokenBuckets, AdmissionLog. Golden vectors keep them alike. All numbers are
--          integers below 2^53; products that could be larger go through mul_div.
--
-- Nothing is written before every key has been judged, and a refusal writes only what keeps time going.

local NEVER = -1
local CLAMPED = 1000000       -- a smaller step back of time is waited out, a larger one re-bases the count
local MAX_MICROS = 9007199254740991
local MAX_ELAPSED = 4503599627370496
local TRIMMED_BY_REFUSALS = 64
local CHUNK = 64
local EXACT = 9007199254740992

local fmod, floor, max, min = math.fmod, math.floor, math.max, math.min

local function int(n)
  return string.format('%.0f', n)
end

-- Quotient and remainder of a * b / m, exactly, for a < m < 2^47 and b < 2^47.
local function mul_div(a, b, m)
  local product = a * b
  if product < EXACT then
    local rest = fmod(product, m)
    return (product - rest) / m, rest
  end
  local quotient, rest, place = 0, 0, 1
  while place * 32 <= b do
    place = place * 32
  end
  while place >= 1 do
    local digit = floor(b / place)
    b = b - digit * place
    local value = rest * 32 + a * digit
    rest = fmod(value, m)
    quotient = quotient * 32 + (value - rest) / m
    place = place / 32
  end
  return quotient, rest
end

-- Whole permits and parts of 1/per that flow in a span.
local function flowed(d, micros)
  local rest = fmod(micros, d.per)
  local whole, parts = mul_div(rest, d.flow, d.per)
  return (micros - rest) / d.per * d.flow + whole, parts
end

-- The first microsecond at which so much has flowed.
local function micros_for(d, whole, parts)
  local rest = fmod(whole, d.flow)
  local rounds = (whole - rest) / d.flow
  if rounds > floor(MAX_MICROS / d.per) then
    return MAX_MICROS
  end
  local quotient, left = mul_div(rest, d.per, d.flow)
  left = left + parts
  local more = fmod(left, d.flow)
  quotient = quotient + (left - more) / d.flow
  if more > 0 then
    quotient = quotient + 1
  end
  return min(MAX_MICROS, rounds * d.per + quotient)
end

local function ttl_millis(micros, testing)
  local millis = floor(min(micros, MAX_MICROS - 1000) / 1000) + 1001
  -- In tests time stands still while the server's goes on.
  return int(testing and max(millis, 600000) or millis)
end

---------------------------------------------------------------------------------------------------------- token bucket

local bucket = {}

function bucket.age(d, now, value)
  d.used, d.parts, d.at = 0, 0, now
  if not value then
    return
  end
  local used, parts, of, at = string.match(value, '^(%d+) (%d+) (%d+) (%d+)$')
  used, parts, of, at = tonumber(used), tonumber(parts), tonumber(of), tonumber(at)
  if used == 0 and parts == 0 then
    return
  end
  if now < at then
    if at - now > CLAMPED then
      d.rebased = true
    else
      d.at = at
    end
  end
  if of ~= d.per and parts > 0 then
    local quotient, rest = mul_div(parts, d.per, of)
    parts = rest > 0 and quotient + 1 or quotient
  end
  if parts >= d.per then
    used, parts = used + 1, parts - d.per
  end
  local whole, fraction = flowed(d, min(MAX_ELAPSED, max(0, d.at - at)))
  used, parts = used - whole, parts - fraction
  if parts < 0 then
    used, parts = used - 1, parts + d.per
  end
  if used >= 0 then
    d.used, d.parts = used, parts
  end
end

function bucket.remaining(d, used)
  return max(0, d.capacity - used - (d.parts > 0 and 1 or 0))
end

function bucket.until_fits(d, used, permits, now)
  local over = used + permits - d.capacity
  if over < 0 or (over == 0 and d.parts == 0) then
    return 0
  end
  return min(MAX_MICROS, d.at - now + micros_for(d, over, d.parts))
end

function bucket.grant(d, now)
  local room = bucket.remaining(d, d.used)
  if d.permits <= room then
    return d.permits
  end
  if d.max_wait > 0 and d.permits <= d.capacity and bucket.until_fits(d, d.used, d.permits, now) <= d.max_wait then
    return d.permits
  end
  return d.at_least <= room and room or 0
end

function bucket.reset(d, used, now)
  if used == 0 and d.parts == 0 then
    return 0
  end
  return d.flow == 0 and NEVER or bucket.until_fits(d, used, d.capacity, now)
end

function bucket.verdict(d, charged, now)
  local used = charged and d.used + d.grant or d.used
  local retry, wait = 0, 0
  if d.grant > 0 then
    wait = bucket.until_fits(d, d.used, d.grant, now)
  elseif d.at_least > d.capacity then
    retry = NEVER
  else
    retry = bucket.until_fits(d, d.used, d.at_least, now)
  end
  return bucket.remaining(d, used), retry, bucket.reset(d, used, now), wait
end

function bucket.write(d, now, testing)
  local reset = bucket.reset(d, d.used, now)
  if reset == NEVER then
    reset = 86400000000
  end
  redis.call('SET', d.key, int(d.used) .. ' ' .. int(d.parts) .. ' ' .. int(d.per) .. ' ' .. int(d.at),
    'PX', ttl_millis(reset, testing))
end

function bucket.charge(d, now, testing)
  d.used = d.used + d.grant
  bucket.write(d, now, testing)
end

function bucket.refuse(d, now, testing)
  if d.rebased then
    bucket.write(d, now, testing)
  end
end

-- Less what has flowed in since the charge: see TokenBuckets.giveBack for why that is safe.
function bucket.give_back(d, charged_at, now, testing)
  if d.used == 0 and d.parts == 0 then
    redis.call('DEL', d.key)
    return
  end
  if d.flow > 0 and charged_at - d.at <= CLAMPED then
    local whole, fraction = flowed(d, min(MAX_ELAPSED, max(0, d.at - charged_at)))
    local back, back_parts = d.permits - whole, -fraction
    if back_parts < 0 then
      back, back_parts = back - 1, back_parts + d.per
    end
    if back >= 0 then
      d.used, d.parts = d.used - back, d.parts - back_parts
      if d.parts < 0 then
        d.used, d.parts = d.used - 1, d.parts + d.per
      end
      if d.used < 0 then
        d.used, d.parts = 0, 0
      end
    end
  end
  bucket.write(d, now, testing)
end

----------------------------------------------------------------------------------------------------------- sliding log

local log = {}

local function pair(entry)
  local first, second = string.match(entry, '^(%d+) (%d+)$')
  return tonumber(first), tonumber(second)
end

-- Time and permits of the i-th entry, from 1; nil past the end. Entries are fetched in chunks, in order.
local function entry(d, i)
  while i > #d.entries and not d.complete do
    local from = #d.entries + 1
    local more = redis.call('LRANGE', d.key, from, from + CHUNK - 1)
    d.complete = #more < CHUNK
    for _, text in ipairs(more) do
      d.entries[#d.entries + 1] = text
    end
  end
  if d.entries[i] then
    return pair(d.entries[i])
  end
end

function log.age(d, now)
  d.at, d.used, d.ended, d.entries, d.complete = now, 0, 0, {}, true
  local first = redis.call('LRANGE', d.key, 0, CHUNK)
  if #first == 0 then
    return
  end
  d.exists = true
  d.used, d.newest = pair(first[1])
  d.complete = #first <= CHUNK
  for i = 2, #first do
    d.entries[i - 1] = first[i]
  end
  if now < d.newest then
    if d.newest - now > CLAMPED then
      d.rebased = true
      return
    end
    d.at = d.newest
  end
  local cutoff = d.at - d.window
  local time, permits = entry(d, 1)
  while time and time <= cutoff do
    d.used = d.used - permits
    d.ended = d.ended + 1
    time, permits = entry(d, d.ended + 1)
  end
end

function log.grant(d)
  local room = max(0, d.capacity - d.used)
  return d.permits <= room and d.permits or d.at_least <= room and room or 0
end

function log.until_freed(d, needed, now)
  if d.rebased then
    return d.window
  end
  local freed, i = 0, d.ended + 1
  local time, permits = entry(d, i)
  while time do
    freed = freed + permits
    if freed >= needed then
      return time + d.window - now
    end
    i = i + 1
    time, permits = entry(d, i)
  end
  return NEVER
end

function log.verdict(d, charged, now)
  local used = charged and d.used + d.grant or d.used
  local retry = 0
  if d.grant == 0 then
    retry = d.at_least > d.capacity and NEVER or log.until_freed(d, d.used + d.at_least - d.capacity, now)
  end
  local reset = 0
  if used > 0 then
    reset = ((charged or d.rebased) and d.at or d.newest) + d.window - now
  end
  return max(0, d.capacity - used), retry, reset, 0
end

-- Leaves the list with a first element, yet to be set, and what still counts.
local function settle(d)
  if not d.exists then
    redis.call('RPUSH', d.key, '')
  elseif d.rebased then
    redis.call('DEL', d.key)
    redis.call('RPUSH', d.key, '', int(d.at) .. ' ' .. int(d.used))
    d.newest = d.at
  elseif d.ended > 0 then
    redis.call('LTRIM', d.key, d.ended, -1)
  end
end

local function finish(d, now, testing)
  redis.call('LSET', d.key, 0, int(d.used) .. ' ' .. int(d.newest))
  redis.call('PEXPIRE', d.key, ttl_millis(d.newest + d.window - now, testing))
end

function log.charge(d, now, testing)
  settle(d)
  redis.call('RPUSH', d.key, int(d.at) .. ' ' .. int(d.grant))
  d.used, d.newest = d.used + d.grant, d.at
  finish(d, now, testing)
end

function log.refuse(d, now, testing)
  if d.rebased or d.ended > TRIMMED_BY_REFUSALS then
    settle(d)
    finish(d, now, testing)
  end
end

function log.give_back(d, charged_at, now, testing)
  if not d.exists then
    return
  end
  settle(d)
  local left, index = d.permits, redis.call('LLEN', d.key) - 1
  while left > 0 and index >= 1 do
    local time, permits = pair(redis.call('LINDEX', d.key, index))
    if time < charged_at then
      break
    end
    if time == charged_at then
      local back = min(left, permits)
      left, d.used = left - back, d.used - back
      redis.call('LSET', d.key, index, permits > back and int(time) .. ' ' .. int(permits - back) or 'gone')
    end
    index = index - 1
  end
  redis.call('LREM', d.key, 0, 'gone')
  local length = redis.call('LLEN', d.key)
  if length <= 1 then
    redis.call('DEL', d.key)
    return
  end
  d.newest = pair(redis.call('LINDEX', d.key, -1))
  finish(d, now, testing)
end

--------------------------------------------------------------------------------------------------------------- decision

local testing = ARGV[1] ~= ''
local now
if testing then
  now = tonumber(ARGV[1])
else
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- MGET answers nothing for a key that holds no string, so that it can be asked for logs, too.
local values = #KEYS > 0 and redis.call('MGET', unpack(KEYS)) or {}
local demands = {}
for i = 1, #KEYS do
  local base = 2 + (i - 1) * 7
  local d = {
    key = KEYS[i],
    algorithm = ARGV[base + 1] == 'tb' and bucket or log,
    permits = tonumber(ARGV[base + 2]),
    at_least = tonumber(ARGV[base + 3]),
    max_wait = tonumber(ARGV[base + 4]),
    capacity = tonumber(ARGV[base + 5]),
  }
  if d.algorithm == bucket then
    d.flow, d.per = tonumber(ARGV[base + 6]), tonumber(ARGV[base + 7])
  else
    d.window = tonumber(ARGV[base + 6])
  end
  d.algorithm.age(d, now, values[i])
  demands[i] = d
end

if ARGV[2] == 'back' then
  for _, d in ipairs(demands) do
    d.algorithm.give_back(d, d.max_wait, now, testing)
  end
  return {now}
end

local allowed = true
for _, d in ipairs(demands) do
  d.grant = d.algorithm.grant(d, now)
  allowed = allowed and d.grant > 0
end

local charging = ARGV[2] == 'charge'
local charged = allowed and charging
local reply = {now, allowed and 1 or 0}
for _, d in ipairs(demands) do
  local remaining, retry, reset, wait = d.algorithm.verdict(d, charged, now)
  local n = #reply
  reply[n + 1] = d.grant > 0 and 1 or 0
  reply[n + 2] = charged and d.grant or 0
  reply[n + 3] = remaining
  reply[n + 4] = retry
  reply[n + 5] = reset
  reply[n + 6] = wait
  reply[n + 7] = d.at
  if charged then
    d.algorithm.charge(d, now, testing)
  elseif charging then
    d.algorithm.refuse(d, now, testing)
  end
end
return reply
