-- Sliding log (sl): the moments that admitted, exactly.
--
-- State    a list. The first element holds used and newest; then time and permits of each moment that admitted, oldest first. Times
--          take seven bytes, permits five, or seven if they need more after settlements
-- Twin     io.sluice.core.algorithm.SlidingLogCount

local log = {}
algorithms.sl = log

local ENTRY, ENTRY_BYTES = '<I7I5', 12
local WIDE, WIDE_BYTES = '<I7I7', 14
local WIDE_FROM = 1099511627776

local function entry_of(time, permits)
  return pack(permits < WIDE_FROM and ENTRY or WIDE, time, permits)
end

-- Returns time and permits; nil if the text is no entry.
local function read_entry(text)
  local bytes = #text
  if bytes == ENTRY_BYTES then
    return unpack_bytes(ENTRY, text)
  elseif bytes == WIDE_BYTES then
    local time, permits = unpack_bytes(WIDE, text)
    if permits < EXACT then
      return time, permits
    end
  end
end

-- Returns time and permits of the i-th entry, from the list (fetched in chunks as needed) and then from what this batch adds; nil
-- past the end, and at an element that is no entry: then c.damaged is set.
local function entry(c, i)
  local entries = c.entries
  while i > #entries and not c.complete do
    local from = #entries + 1
    local more = call('LRANGE', c.key, from, from + CHUNK - 1)
    c.complete = #more < CHUNK
    for j = 1, #more do
      entries[from + j - 1] = more[j]
    end
  end
  local text = entries[i] or c.added[i - #entries]
  if text then
    local time, permits = read_entry(text)
    c.damaged = c.damaged or not time
    return time, permits
  end
end

-- c.used permits are in the entries from c.first on; the entries up to c.dropped will be removed from the list.
local function unused_log(key, now)
  return {
    key = key, new = true, entries = {}, added = {}, complete = true, used = 0, newest = 0, first = 1, dropped = 0,
    at = now, rebased = false, changed = false,
  }
end

-- A log with an element that is no entry is unused, and removed as soon as that is seen: at once, or by the refusal that saw it.
local function remove_log(key, now)
  call('DEL', key)
  return unused_log(key, now)
end

function log.load(key, _, d, now)
  local c = unused_log(key, now)
  local stored = redis.pcall('LRANGE', key, 0, CHUNK)
  local size = #stored
  if stored.err or size > 0 and not read_entry(stored[1]) then
    return remove_log(key, now)
  elseif size == 0 then
    return c
  end
  c.new, c.complete = false, size <= CHUNK
  c.newest, c.used = read_entry(stored[1])
  for i = 2, size do
    c.entries[i - 1] = stored[i]
  end
  if c.newest - now > CLAMPED then
    c.rebased = true
    return c
  end
  c.at = max(now, c.newest)
  local cutoff = c.at - d.window
  local time, permits = entry(c, 1)
  while time and time <= cutoff do
    c.used, c.first = c.used - permits, c.first + 1
    time, permits = entry(c, c.first)
  end
  return c.damaged and remove_log(key, now) or c
end

function log.grant(c, d)
  return of_room(d, max(0, d.capacity - c.used))
end

local function until_freed(c, d, needed, now)
  if c.rebased then
    return d.window
  end
  local freed, i = 0, c.first
  local time, permits = entry(c, i)
  while time do
    freed = freed + permits
    if freed >= needed then
      return time + d.window - now
    end
    i = i + 1
    time, permits = entry(c, i)
  end
  return NEVER
end

function log.verdict(c, d, grant, charged, now)
  local used = charged and c.used + grant or c.used
  local left, reset = 0, 0
  if grant == 0 then
    left = d.needed > d.capacity and NEVER or until_freed(c, d, c.used + d.needed - d.capacity, now)
  end
  if used > 0 then
    reset = ((charged or c.rebased) and c.at or c.newest) + d.window - now
  end
  return max(0, d.capacity - used), left, reset
end

-- Forgets entries that no longer count.
local function trim(c, d)
  if c.rebased then
    c.new, c.complete, c.entries, c.added, c.first = true, true, {}, {entry_of(c.at, c.used)}, 1
    c.newest, c.rebased = c.at, false
  end
  c.dropped, c.changed = c.first - 1, d
end

-- Admissions of the same moment share one entry, because nothing could tell them apart.
function log.charge(c, d, grant)
  trim(c, d)
  local added = c.added
  local last, permits = #added, 0
  if last > 0 then
    permits = select(2, read_entry(added[last]))
  else
    last = 1
  end
  added[last] = entry_of(c.at, permits + grant)
  c.used, c.newest = c.used + grant, c.at
end

function log.refuse(c, d)
  if c.damaged then
    call('DEL', c.key)
    c.stale, c.changed = true, false
  elseif c.rebased or c.first - c.dropped > TRIMMED_BY_REFUSALS + 1 then
    trim(c, d)
  end
end

function log.write(c, now, testing)
  local key, head = c.key, entry_of(c.newest, c.used)
  if c.new then
    call('RPUSH', key, head, c.added[1])
    call('LTRIM', key, -2, -1)
  else
    -- The last of the dropped entries becomes the first element.
    if c.dropped > 0 then
      call('LTRIM', key, c.dropped, -1)
    end
    call('LSET', key, 0, head)
    if c.added[1] then
      call('RPUSH', key, c.added[1])
    end
  end
  call('PEXPIRE', key, ttl_millis(c.newest + c.changed.window - now, testing))
end

-- Returns the index of the last entry up to a time, and its time and permits; 0 if there is none, nil at an element that is no entry.
local function find_entry(key, time)
  local low, high = 0, call('LLEN', key) - 1
  local found_time, found_permits
  while low < high do
    local middle = floor((low + high + 1) / 2)
    local at, permits = read_entry(call('LINDEX', key, middle))
    if not at then
      return nil
    elseif at <= time then
      low, found_time, found_permits = middle, at, permits
    else
      high = middle - 1
    end
  end
  return low, found_time, found_permits
end

-- Writes the log as it is now, because the next steps work on the list itself. The next operation reads the list again.
local function write_out(c, d, now, testing)
  c.stale = true
  trim(c, d)
  log.write(c, now, testing)
  c.changed = false
end

-- Takes back permits that were admitted at exactly a time. Returns how many there were.
local function take_back_log(c, d, wanted, charged_at, now, testing)
  if c.new and not c.added[1] then
    return 0
  end
  write_out(c, d, now, testing)
  local key, used, left = c.key, c.used, wanted
  local index, time, permits = find_entry(key, charged_at)
  while left > 0 and index and index >= 1 and time == charged_at do
    local back = min(left, permits)
    left, used = left - back, used - back
    call('LSET', key, index, permits > back and entry_of(time, permits - back) or 'gone')
    index = index - 1
    if index >= 1 then
      time, permits = read_entry(call('LINDEX', key, index))
      index = time and index
    end
  end
  if not index then
    call('DEL', key)
    return 0
  end
  if left < wanted then
    call('LREM', key, 0, 'gone')
    ease(key)
  end
  local newest = 0
  if call('LLEN', key) > 1 then
    newest = read_entry(call('LINDEX', key, -1))
    if not newest then
      call('DEL', key)
      return 0
    end
  else
    used = 0
  end
  call('LSET', key, 0, entry_of(newest, used))
  call('PEXPIRE', key, ttl_millis(newest + d.window - now, testing))
  return wanted - left
end

function log.give_back(c, d, now, testing)
  take_back_log(c, d, d.permits, d.max_wait, now, testing)
end

-- Changes the entry of the reservation while it counts. Later, a charge is a new entry.
function log.settle(c, d, more, charged_at, now, testing)
  if more < 0 then
    return -take_back_log(c, d, -more, charged_at, now, testing)
  end
  more = min(more, MOST_USED - c.used)
  if more == 0 then
    return 0
  elseif c.new and not c.added[1] then
    log.charge(c, d, more)
    return more
  end
  write_out(c, d, now, testing)
  local key, newest = c.key, c.newest
  local index, time, permits = find_entry(key, charged_at)
  if index and time == charged_at then
    call('LSET', key, index, entry_of(time, permits + more))
  else
    newest = c.at
    call('RPUSH', key, entry_of(newest, more))
  end
  call('LSET', key, 0, entry_of(newest, c.used + more))
  call('PEXPIRE', key, ttl_millis(newest + d.window - now, testing))
  return more
end
