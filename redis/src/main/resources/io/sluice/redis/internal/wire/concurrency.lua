-- Concurrency (cc): permits that are held until they are returned or expire.
--
-- State    a sorted set with a member for each holder, scored with the time at which its permits expire; see below
-- Twin     io.sluice.core.algorithm.ConcurrencyCount

local held = {}
algorithms.cc = held

-- The cost of a decision must not grow with the permits that it asks for, so a holder is one member, scored with the time at which its
-- permits expire. A holder of several permits has a second member, scored with minus their number, and then the count has a member
-- ALL, scored with minus the permits of all holders. Times are never negative, so these come before all holders.
local HOLDER, SEVERAL, ALL, OPEN = '=', '#', '*', ''

local function after(micros)
  return format('(%d', micros)
end

-- The count is read and written for each operation, because each has another holder.
function held.load(key)
  return {key = key, at = 0, used = 0, rebased = false, changed = false}
end

local function permits_of(c, holder)
  local several = call('ZSCORE', c.key, SEVERAL .. holder)
  return several and -several or 1
end

-- Returns the holders whose permits have expired.
local function expired_holders(c, now)
  local holders = {}
  for _, name in ipairs(call('ZRANGE', c.key, '0', format('%d', now), 'BYSCORE')) do
    if string.sub(name, 1, 1) == HOLDER then
      holders[#holders + 1] = string.sub(name, 2)
    end
  end
  return holders
end

local function read_held(c, d, now)
  local last = redis.pcall('ZRANGE', c.key, -1, -1, 'WITHSCORES')
  if last.err then
    call('DEL', c.key)
  end
  c.at, c.used, c.rebased, c.exists, c.all, c.expired = now, 0, false, #last > 0, nil, nil
  if c.exists then
    c.rebased = last[2] - (now + d.ttl) > CLAMPED
    local all = call('ZSCORE', c.key, ALL)
    if all then
      c.all, c.expired = -all, expired_holders(c, now)
      c.used = c.all
      for i = 1, #c.expired do
        c.used = c.used - permits_of(c, c.expired[i])
      end
    else
      c.used = call('ZCOUNT', c.key, after(now), '+inf')
    end
  end
end

-- Returns when the permits of this holder expire; nil if it holds none. Such a request changes nothing, whatever time to live it gives.
local function held_until(c, d, now)
  local ends = c.exists and call('ZSCORE', c.key, HOLDER .. d.holder)
  ends = ends and tonumber(ends)
  return ends and ends > now and ends or nil
end

-- A holder gets nothing more until it has lost the permits that it holds.
function held.grant(c, d, now)
  read_held(c, d, now)
  c.mine = c.used > 0 and held_until(c, d, now)
  return c.mine and 0 or of_room(d, max(0, d.capacity - c.used))
end

-- Returns when so many permits have expired. Of holders of several permits, at most a thousand are looked at: then the time may be early.
local function end_of(c, needed, now)
  if not c.all then
    local ends = call('ZRANGE', c.key, after(now), '+inf', 'BYSCORE', 'LIMIT', needed - 1, 1, 'WITHSCORES')
    return tonumber(ends[2])
  end
  local ends = now
  for from = 0, HOLDERS_SEEN - CHUNK, CHUNK do
    local some = call('ZRANGE', c.key, after(now), '+inf', 'BYSCORE', 'LIMIT', from, CHUNK, 'WITHSCORES')
    for i = 1, #some, 2 do
      needed, ends = needed - permits_of(c, string.sub(some[i], 2)), tonumber(some[i + 1])
      if needed <= 0 then
        return ends
      end
    end
    if #some < 2 * CHUNK then
      return ends
    end
  end
  return ends
end

function held.verdict(c, d, grant, charged, now)
  local used = charged and c.used + grant or c.used
  local left = 0
  if grant == 0 then
    local needed = c.used + d.needed - d.capacity
    if d.needed > d.capacity then
      left = NEVER
    else
      left = max(needed > 0 and end_of(c, needed, now) or now, c.mine or now)
      left = min(left, c.rebased and now + d.ttl or MAX_MICROS) - now
    end
  end
  return max(0, d.capacity - used), left, used == 0 and 0 or NEVER
end

-- Removes expired permits, and lets no permit last longer than its time to live from now.
local function take_back(c, d, now, from)
  if c.all then
    for i = 1, #c.expired do
      call('ZREM', c.key, HOLDER .. c.expired[i], SEVERAL .. c.expired[i])
    end
  else
    call('ZREMRANGEBYSCORE', c.key, from, format('%d', now))
  end
  if c.rebased then
    local ends = format('%d', now + d.ttl)
    for _, name in ipairs(call('ZRANGE', c.key, '(' .. ends, '+inf', 'BYSCORE')) do
      call('ZADD', c.key, 'XX', ends, name)
    end
  end
end

local AFTER_OPEN = '(0'

-- Returns whether the key exists. Adds a member without a holder, so that the key stays whatever is removed.
local function hold_open(c)
  if c.exists then
    call('ZADD', c.key, '0', OPEN)
  end
  return c.exists
end

-- Writes how many permits all holders have, unless each has one.
local function keep_all(c, all)
  if all == call('ZCOUNT', c.key, AFTER_OPEN, '+inf') then
    call('ZREM', c.key, ALL)
  else
    call('ZADD', c.key, format('%d', -all), ALL)
  end
end

local function keep_held(c, now, testing)
  local last = call('ZRANGE', c.key, -1, -1, 'WITHSCORES')
  if #last > 0 then
    call('PEXPIRE', c.key, ttl_millis(last[2] - now, testing))
  end
end

function held.charge(c, d, grant, now, testing)
  for i = c.all and #c.expired or 0, 1, -1 do
    -- Permits of its own that have expired are replaced.
    if c.expired[i] == d.holder then
      table.remove(c.expired, i)
    end
  end
  call('ZADD', c.key, format('%d', now + d.ttl), HOLDER .. d.holder)
  if grant > 1 then
    call('ZADD', c.key, format('%d', -grant), SEVERAL .. d.holder)
  elseif c.all then
    call('ZREM', c.key, SEVERAL .. d.holder)
  end
  take_back(c, d, now, c.all and AFTER_OPEN or grant > 1 and '0' or '-inf')
  if c.all or grant > 1 then
    keep_all(c, c.used + grant)
  end
  keep_held(c, now, testing)
end

function held.refuse(c, d, now, testing)
  if c.rebased or c.expired and #c.expired > TRIMMED_BY_REFUSALS then
    hold_open(c)
    take_back(c, d, now, AFTER_OPEN)
    if c.all then
      keep_all(c, c.used)
    end
    keep_held(c, now, testing)
  end
end

function held.give_back(c, d, now, testing)
  read_held(c, d, now)
  if held_until(c, d, now) and hold_open(c) then
    take_back(c, d, now, AFTER_OPEN)
    local permits = c.all and permits_of(c, d.holder) or 1
    call('ZREM', c.key, HOLDER .. d.holder, SEVERAL .. d.holder)
    if c.all then
      keep_all(c, c.used - permits)
    end
    keep_held(c, now, testing)
    return true
  end
  return false
end

function held.renew(c, d, now, testing)
  read_held(c, d, now)
  if not held_until(c, d, now) or not hold_open(c) then
    return false
  end
  take_back(c, d, now, AFTER_OPEN)
  if c.all then
    keep_all(c, c.used)
  end
  call('ZADD', c.key, 'XX', format('%d', now + d.ttl), HOLDER .. d.holder)
  keep_held(c, now, testing)
  return true
end
