#!lua
-- Decides a list of demands, all or nothing, in one step; or looks; or gives back what was charged; or renews a permit.
--
-- KEYS     one count per demand, in the order of the demands
-- ARGV[1]  '' to decide by TIME; else the time in microseconds (for tests: the vectors bring their own)
-- ARGV[2]  'charge', 'look', 'back' or 'renew'
-- ARGV[3…] nine for each key:
--          kind      tb token bucket, lb leaky bucket, fw fixed window, sw sliding window, sl sliding log, cc concurrency
--          permits   wanted; with 'back', to give back
--          at_least  smallest useful grant
--          max_wait  microseconds; with 'back', when it was charged
--          capacity  the most that can ever be granted; 0 refuses always
--          four more tb: permits and microseconds of the rate          lb: the same, and the longest wait of the limit
--                    fw: length of a window, or '' and the boundaries of windows around the present, with commas between
--                    sw: length of a slice, number of slices, 1 if weighted
--                    sl: window           cc: time to live; last, who holds
--
-- Reply    {now, allowed, then seven for each key: fits, granted, remaining, retry, reset, wait, charged_at}, times in
--          microseconds, -1 for never. With 'back': {now, 1}. With 'renew': {now, 1 if it was held}. {now} alone, and nothing
--          done: the boundaries do not reach the server's time, ask again with others.
-- State    tb, lb: string "used parts of at": used + parts/of permits are used as of at
--          fw: string "start used"        sw: string "newest count count …", from the newest slice backwards
--          sl: list, first "used newest", then "time permits" for each admission, oldest first
--          cc: sorted set, a member for each permit held, scored with the time it is taken back
-- TTL      set with every write, until the count is as if unused, and a second more for clocks that step back. A count
--          that has expired and one that has aged to nothing give the same answers: the TTL carries no state.
-- Cost     one MGET for all strings, one SET for each charged; a log costs one LRANGE, and three or four writes
-- Twin     io.sluice.core.algorithm. Golden vectors keep them alike. All numbers are integers below 2^53; products that
--          could be larger go through mul_div.
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

local function of_room(d, room)
  return d.permits <= room and d.permits or d.at_least <= room and room or 0
end

local function ttl_millis(micros, testing)
  local millis = floor(min(micros, MAX_MICROS - 1000) / 1000) + 1001
  -- In tests time stands still while the server's goes on.
  return int(testing and max(millis, 600000) or millis)
end

-- A script is run from its first line every time, and making a function costs more than most of them do: each algorithm is made
-- when a demand needs it.
local makers, made = {}, {}

local function algorithm(kind)
  local known = made[kind]
  if not known then
    known = makers[kind]()
    made[kind] = known
  end
  return known
end

---------------------------------------------------------------------------------------------------------- token bucket

function makers.tb()
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

  local function used_up(d, used)
    return used + (d.parts > 0 and 1 or 0)
  end

  -- Until no more than a level is used.
  local function until_level(d, used, level, now)
    local over = used - level
    if over < 0 or (over == 0 and d.parts == 0) then
      return 0
    end
    return min(MAX_MICROS, d.at - now + micros_for(d, over, d.parts))
  end

  local function bucket_reset(d, used, now)
    if used == 0 and d.parts == 0 then
      return 0
    end
    return d.flow == 0 and NEVER or until_level(d, used, 0, now)
  end

  function bucket.grant(d, now)
    local room = max(0, d.capacity - used_up(d, d.used))
    if d.permits > room and d.max_wait > 0 and d.permits <= d.capacity
      and until_level(d, d.used, d.capacity - d.permits, now) <= d.max_wait then
      return d.permits
    end
    return of_room(d, room)
  end

  function bucket.verdict(d, charged, now)
    local used = charged and d.used + d.grant or d.used
    local retry, wait = 0, 0
    if d.grant > 0 then
      wait = until_level(d, d.used, d.capacity - d.grant, now)
    elseif d.at_least > d.capacity then
      retry = NEVER
    else
      retry = until_level(d, d.used, d.capacity - d.at_least, now)
    end
    return max(0, d.capacity - used_up(d, used)), retry, bucket_reset(d, used, now), wait
  end

  function bucket.write(d, now, testing)
    local reset = bucket_reset(d, d.used, now)
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

  bucket.used_up, bucket.until_level, bucket.reset = used_up, until_level, bucket_reset

  return bucket
end

---------------------------------------------------------------------------------------------------------- leaky bucket

function makers.lb()
  local bucket = algorithm('tb')
  local used_up, until_level, bucket_reset = bucket.used_up, bucket.until_level, bucket.reset

  -- The same state; what is used is what is ahead of the next request, and the time to drain it is its wait.
  local leaky = {
    age = bucket.age,
    charge = bucket.charge,
    refuse = bucket.refuse,
    give_back = bucket.give_back,
  }

  local function leaky_room(d, used, max_wait, now)
    if d.flow == 0 or until_level(d, used, 0, now) > max_wait then
      return 0
    end
    return max(0, d.capacity - used_up(d, used))
  end

  function leaky.grant(d, now)
    return of_room(d, leaky_room(d, d.used, min(d.max_wait, d.longest), now))
  end

  function leaky.verdict(d, charged, now)
    local used = charged and d.used + d.grant or d.used
    local retry, wait = 0, 0
    if d.grant > 0 then
      wait = until_level(d, d.used, 0, now)
    elseif d.at_least > d.capacity then
      retry = NEVER
    else
      retry = max(until_level(d, d.used, d.capacity - d.at_least, now),
        until_level(d, d.used, 0, now) - min(d.max_wait, d.longest))
    end
    return leaky_room(d, used, d.longest, now), retry, bucket_reset(d, used, now), wait
  end

  return leaky
end

---------------------------------------------------------------------------------------------------------- fixed window

function makers.fw()
  local window = {}

  -- The window that a moment is in; nothing if the boundaries do not reach it.
  local function bounds(d, moment)
    if d.length then
      local start = floor(moment / d.length) * d.length
      return start, start + d.length
    end
    for i = 1, #d.boundaries - 1 do
      if d.boundaries[i] <= moment and moment < d.boundaries[i + 1] then
        return d.boundaries[i], d.boundaries[i + 1]
      end
    end
  end

  function window.age(d, now, value)
    d.at, d.used = now, 0
    d.first, d.last = bounds(d, now)
    if not d.first then
      d.outside = true
      return
    end
    if not value then
      return
    end
    local start, used = string.match(value, '^(%d+) (%d+)$')
    start, used = tonumber(start), tonumber(used)
    if used == 0 or start < d.first then
      return
    end
    d.used = used
    if start > d.first then
      if start - now > CLAMPED then
        d.rebased = true
      else
        d.at = start
        d.first, d.last = bounds(d, start)
        d.outside = not d.first
      end
    end
  end

  function window.grant(d)
    return of_room(d, max(0, d.capacity - d.used))
  end

  function window.verdict(d, charged, now)
    local used = charged and d.used + d.grant or d.used
    local left = d.last - now
    local retry = d.grant > 0 and 0 or d.at_least > d.capacity and NEVER or left
    return max(0, d.capacity - used), retry, used == 0 and 0 or left, 0
  end

  function window.write(d, now, testing)
    redis.call('SET', d.key, int(d.first) .. ' ' .. int(d.used), 'PX', ttl_millis(d.last - now, testing))
  end

  function window.charge(d, now, testing)
    d.used = d.used + d.grant
    window.write(d, now, testing)
  end

  function window.refuse(d, now, testing)
    if d.rebased then
      window.write(d, now, testing)
    end
  end

  function window.give_back(d, charged_at, now, testing)
    if d.first <= charged_at and charged_at < d.last then
      d.used = max(0, d.used - d.permits)
    end
    window.write(d, now, testing)
  end

  return window
end

-------------------------------------------------------------------------------------------------------- sliding window

function makers.sw()
  local sliding = {}

  -- d.counts[j]: what slice d.newest - j holds, for j from 0 to d.slices.
  local function count(d, slice)
    return d.counts[d.newest - slice] or 0
  end

  -- What the slices from first on hold.
  local function sum(d, first)
    local total = 0
    for j = 0, min(d.slices, d.newest - first) do
      total = total + (d.counts[j] or 0)
    end
    return total
  end

  -- a * b / m, rounded up or down, for a <= m.
  local function scaled(a, b, m, up)
    local quotient, rest = mul_div(a, b, m)
    return up and rest > 0 and quotient + 1 or quotient
  end

  function sliding.age(d, now, value)
    d.at, d.present, d.newest, d.counts = now, floor(now / d.length), -d.slices - 1, {}
    if not value then
      return
    end
    local j = -1
    for number in string.gmatch(value, '%d+') do
      if j < 0 then
        d.newest = tonumber(number)
      else
        d.counts[j] = tonumber(number)
      end
      j = j + 1
    end
    if d.present < d.newest and sum(d, d.newest - d.slices) > 0 then
      if d.newest * d.length - now > CLAMPED then
        d.rebased = true
        d.counts = {[0] = sum(d, d.newest - d.slices)}
        d.newest = d.present
      else
        d.present, d.at = d.newest, d.newest * d.length
      end
    end
  end

  function sliding.estimate(d)
    local oldest = d.present - d.slices
    if d.weighted then
      local left = d.length - (d.at - d.present * d.length)
      return sum(d, oldest + 1) + scaled(left, count(d, oldest), d.length, true)
    end
    return sum(d, oldest)
  end

  function sliding.grant(d)
    d.estimate = sliding.estimate(d)
    return of_room(d, max(0, d.capacity - d.estimate))
  end

  function sliding.when_fits(d, permits)
    local slice = d.present
    while true do
      local oldest = slice - d.slices
      local spare = d.capacity - permits - sum(d, oldest + 1)
      if spare >= 0 then
        local part = count(d, oldest)
        if spare >= part then
          return max(d.at, slice * d.length)
        end
        return slice * d.length + d.length - (d.weighted and scaled(spare, d.length, part, false) or 0)
      end
      slice = slice + 1
    end
  end

  function sliding.verdict(d, charged, now)
    local used = charged and d.estimate + d.grant or d.estimate
    local retry = 0
    if d.grant == 0 then
      retry = d.at_least > d.capacity and NEVER or sliding.when_fits(d, d.at_least) - now
    end
    local reset = 0
    if charged or sum(d, d.present - d.slices) > 0 then
      reset = ((charged and d.present or d.newest) + d.slices + 1) * d.length - now
    end
    return max(0, d.capacity - used), retry, reset, 0
  end

  function sliding.write(d, now, testing)
    local parts, last = {int(d.newest)}, -1
    for j = 0, d.slices do
      if (d.counts[j] or 0) > 0 then
        last = j
      end
    end
    if last < 0 then
      redis.call('DEL', d.key)
      return
    end
    for j = 0, last do
      parts[#parts + 1] = int(d.counts[j] or 0)
    end
    redis.call('SET', d.key, table.concat(parts, ' '), 'PX',
      ttl_millis((d.newest + d.slices + 1) * d.length - now, testing))
  end

  -- Forgets the slices that are over, and makes the given one the newest.
  local function move_to(d, newest)
    local counts = {}
    for j = 0, d.slices do
      local slice = newest - j
      if slice >= d.present - d.slices then
        counts[j] = count(d, slice)
      end
    end
    d.counts, d.newest = counts, newest
  end

  function sliding.charge(d, now, testing)
    move_to(d, max(d.newest, d.present))
    local j = d.newest - d.present
    d.counts[j] = (d.counts[j] or 0) + d.grant
    sliding.write(d, now, testing)
  end

  function sliding.refuse(d, now, testing)
    if d.rebased then
      sliding.write(d, now, testing)
    end
  end

  function sliding.give_back(d, charged_at, now, testing)
    move_to(d, d.newest)
    local j = d.newest - floor(charged_at / d.length)
    if d.counts[j] then
      d.counts[j] = max(0, d.counts[j] - d.permits)
    end
    local first = 0
    while first < d.slices and (d.counts[first] or 0) == 0 do
      first = first + 1
    end
    move_to(d, d.newest - first)
    sliding.write(d, now, testing)
  end

  return sliding
end

----------------------------------------------------------------------------------------------------------- sliding log

function makers.sl()
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
    return of_room(d, max(0, d.capacity - d.used))
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

  return log
end

----------------------------------------------------------------------------------------------------------- concurrency

function makers.cc()
  local held = {}

  local function member(d, i)
    return d.holder .. '#' .. i
  end

  function held.age(d, now)
    d.at = now
    local last = redis.call('ZRANGE', d.key, -1, -1, 'WITHSCORES')
    d.exists = #last > 0
    d.rebased = d.exists and tonumber(last[2]) - (now + d.ttl) > CLAMPED
    d.used = d.exists and redis.call('ZCOUNT', d.key, '(' .. int(now), '+inf') or 0
    local mine = d.exists and redis.call('ZSCORE', d.key, member(d, 1))
    d.mine = mine and tonumber(mine) > now
  end

  function held.grant(d)
    return d.mine and 0 or of_room(d, max(0, d.capacity - d.used))
  end

  function held.verdict(d, charged, now)
    local used = charged and d.used + d.grant or d.used
    local retry = 0
    if d.grant == 0 then
      retry = NEVER
      local needed = d.used + d.at_least - d.capacity
      if d.at_least <= d.capacity and needed > 0 then
        local ends = redis.call('ZRANGE', d.key, '(' .. int(now), '+inf', 'BYSCORE', 'LIMIT', needed - 1, 1, 'WITHSCORES')
        retry = min(tonumber(ends[2]), d.rebased and now + d.ttl or MAX_MICROS) - now
      elseif d.at_least <= d.capacity then
        retry = 0
      end
    end
    return max(0, d.capacity - used), retry, used == 0 and 0 or NEVER, 0
  end

  -- Forgets what was taken back, and lets no permit be held for longer than its time to live from now.
  local function take_back(d, now)
    redis.call('ZREMRANGEBYSCORE', d.key, '-inf', int(now))
    if d.rebased then
      local ends = int(now + d.ttl)
      for _, name in ipairs(redis.call('ZRANGE', d.key, '(' .. ends, '+inf', 'BYSCORE')) do
        redis.call('ZADD', d.key, 'XX', ends, name)
      end
    end
  end

  local function keep_held(d, now, testing)
    local last = redis.call('ZRANGE', d.key, -1, -1, 'WITHSCORES')
    if #last > 0 then
      redis.call('PEXPIRE', d.key, ttl_millis(tonumber(last[2]) - now, testing))
    end
  end

  function held.charge(d, now, testing)
    take_back(d, now)
    for i = 1, d.grant do
      redis.call('ZADD', d.key, int(now + d.ttl), member(d, i))
    end
    keep_held(d, now, testing)
  end

  function held.refuse(d, now, testing)
    if d.rebased then
      take_back(d, now)
      keep_held(d, now, testing)
    end
  end

  function held.give_back(d, _, now, testing)
    take_back(d, now)
    for i = 1, d.permits do
      redis.call('ZREM', d.key, member(d, i))
    end
    keep_held(d, now, testing)
  end

  function held.renew(d, now, testing)
    take_back(d, now)
    local renewed = false
    for i = 1, d.permits do
      if redis.call('ZSCORE', d.key, member(d, i)) then
        redis.call('ZADD', d.key, 'XX', int(now + d.ttl), member(d, i))
        renewed = true
      end
    end
    keep_held(d, now, testing)
    return renewed
  end

  return held
end

-------------------------------------------------------------------------------------------------------------- decision

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
  local base = 2 + (i - 1) * 9
  local kind = ARGV[base + 1]
  local d = {
    key = KEYS[i],
    algorithm = algorithm(kind),
    permits = tonumber(ARGV[base + 2]),
    at_least = tonumber(ARGV[base + 3]),
    max_wait = tonumber(ARGV[base + 4]),
    capacity = tonumber(ARGV[base + 5]),
  }
  local first = ARGV[base + 6]
  if kind == 'tb' or kind == 'lb' then
    d.flow, d.per, d.longest = tonumber(first), tonumber(ARGV[base + 7]), tonumber(ARGV[base + 8])
  elseif kind == 'fw' then
    if first ~= '' then
      d.length = tonumber(first)
    else
      d.boundaries = {}
      for boundary in string.gmatch(ARGV[base + 7], '%d+') do
        d.boundaries[#d.boundaries + 1] = tonumber(boundary)
      end
    end
  elseif kind == 'sw' then
    d.length, d.slices, d.weighted = tonumber(first), tonumber(ARGV[base + 7]), ARGV[base + 8] == '1'
  elseif kind == 'sl' then
    d.window = tonumber(first)
  else
    d.ttl, d.holder = tonumber(first), ARGV[base + 9]
  end
  d.algorithm.age(d, now, values[i])
  if d.outside then
    return {now}
  end
  demands[i] = d
end

if ARGV[2] == 'renew' then
  local renewed = true
  for _, d in ipairs(demands) do
    renewed = d.algorithm.renew ~= nil and d.algorithm.renew(d, now, testing) and renewed
  end
  return {now, renewed and 1 or 0}
end

if ARGV[2] == 'back' then
  for _, d in ipairs(demands) do
    d.algorithm.give_back(d, d.max_wait, now, testing)
  end
  return {now, 1}
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
