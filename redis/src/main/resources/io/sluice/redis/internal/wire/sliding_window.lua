-- Sliding window (sw): counts in slices, the oldest weighted if the demand says so.
--
-- State    msgpack [newest, count, count, …], from the newest slice backwards
-- Twin     io.sluice.core.algorithm.SlidingWindowCount

local sliding = {}
algorithms.sw = sliding

-- Returns the total of the slices from first on.
local function sum(c, first)
  local counts, total = c.counts, 0
  for j = 0, min(c.slices, c.newest - first) do
    total = total + (counts[j] or 0)
  end
  return total
end

local function slice_count(c, slice)
  return c.counts[c.newest - slice] or 0
end

-- Another program may have written anything.
local function is_count(value)
  return type(value) == 'number' and value >= 0 and value < EXACT and value % 1 == 0
end

-- c.counts[j] is the count of slice c.newest - j, for j from 0 to c.slices.
function sliding.load(key, value, d, now)
  local length, slices = d.length, d.slices
  local present = (now - now % length) / length
  local c = {
    key = key, value = value, slices = slices, newest = -slices - 1, counts = {}, present = present, at = now,
    rebased = false, changed = false,
  }
  if recording or value and byte(value) == NUMBERED then
    value = state_of(c, value, nil, now)
    c.value = value
  end
  if not value then
    return c
  end
  local read, stored = pcall(cmsgpack.unpack, value)
  if not read or type(stored) ~= 'table' or not is_count(stored[1]) then
    return c
  end
  local newest, counts, total = stored[1], {}, 0
  for j = 2, min(#stored, slices + 2) do
    local count = stored[j]
    -- A sum that is not exact might never come down to nothing.
    total = is_count(count) and total + count or EXACT
    if total >= EXACT then
      return c
    end
    counts[j - 2] = count
  end
  c.newest, c.counts = newest, counts
  if present < newest then
    local total = sum(c, newest - slices)
    if newest * length - now > CLAMPED then
      c.rebased, c.counts, c.newest = total > 0, {[0] = total}, present
    elseif total > 0 then
      c.present, c.at = newest, newest * length
    end
  end
  return c
end

-- Returns a * b / m, rounded up or down, for a <= m.
local function scaled(a, b, m, up)
  local quotient, rest = mul_div(a, b, m)
  return up and rest > 0 and quotient + 1 or quotient
end

local function estimate(c, d)
  local oldest = c.present - c.slices
  if d.weighted then
    local left = d.length - (c.at - c.present * d.length)
    return sum(c, oldest + 1) + scaled(left, slice_count(c, oldest), d.length, true)
  end
  return sum(c, oldest)
end

function sliding.grant(c, d)
  return of_room(d, max(0, d.capacity - estimate(c, d)))
end

local function when_fits(c, d, permits)
  local slice, length = c.present, d.length
  local rest = sum(c, slice - c.slices + 1)
  while true do
    local oldest = slice - c.slices
    local spare = d.capacity - permits - rest
    if spare >= 0 then
      local part = slice_count(c, oldest)
      if spare >= part then
        return max(c.at, slice * length)
      end
      return slice * length + length - (d.weighted and scaled(spare, length, part, false) or 0)
    end
    rest = rest - slice_count(c, oldest + 1)
    slice = slice + 1
  end
end

function sliding.verdict(c, d, grant, charged, now)
  local used = estimate(c, d) + (charged and grant or 0)
  local left, reset = 0, 0
  if grant == 0 then
    left = d.needed > d.capacity and NEVER or when_fits(c, d, d.needed) - now
  end
  if charged or sum(c, c.present - c.slices) > 0 then
    reset = ((charged and c.present or c.newest) + c.slices + 1) * d.length - now
  end
  return max(0, d.capacity - used), left, reset
end

-- Forgets the slices that are over, and makes the given one the newest.
local function move_to(c, newest)
  local counts, oldest = {}, c.present - c.slices
  for j = 0, min(c.slices, newest - oldest) do
    counts[j] = slice_count(c, newest - j)
  end
  c.counts, c.newest = counts, newest
end

function sliding.charge(c, d, grant)
  if c.newest < c.present then
    move_to(c, c.present)
  end
  local j = c.newest - c.present
  c.counts[j] = (c.counts[j] or 0) + grant
  c.changed = d
end

function sliding.refuse(c, d)
  if c.rebased then
    c.changed = d
  end
end

-- Makes the newest slice that holds anything the newest one.
local function drop_emptied(c, d, now)
  local first = 0
  while first < c.slices and (c.counts[first] or 0) == 0 do
    first = first + 1
  end
  move_to(c, c.newest - first)
  -- Time stands still only while something is still used.
  local present = floor(now / d.length)
  if present >= c.newest or sum(c, c.newest - c.slices) == 0 then
    c.present, c.at = present, now
  else
    c.present, c.at = c.newest, c.newest * d.length
  end
  c.changed = d
end

function sliding.give_back(c, d, now)
  move_to(c, c.newest)
  local j = c.newest - floor(d.max_wait / d.length)
  if (c.counts[j] or 0) > 0 then
    c.counts[j] = max(0, c.counts[j] - d.permits)
    ease(c.key)
  end
  drop_emptied(c, d, now)
end

-- Changes the slice of the reservation while it counts. Later, a charge goes to the present slice.
function sliding.settle(c, d, more, charged_at, now)
  move_to(c, c.newest)
  local slice = floor(charged_at / d.length)
  if slice_count(c, slice) == 0 then
    if more < 0 then
      drop_emptied(c, d, now)
      return 0
    end
    slice = c.present
    if c.newest < slice then
      move_to(c, slice)
    end
  end
  local j = c.newest - slice
  local before = c.counts[j] or 0
  local most = MOST_USED - (sum(c, c.newest - c.slices) - before)
  local after = min(most, max(0, before + more))
  c.counts[j] = after
  if after < before then
    ease(c.key)
  end
  drop_emptied(c, d, now)
  return after - before
end

function sliding.write(c, now, testing)
  local stored, last = {c.newest}, 1
  for j = 0, min(c.slices, c.newest - c.present + c.slices) do
    local count = c.counts[j] or 0
    stored[j + 2] = count
    if count > 0 then
      last = j + 2
    end
  end
  for j = #stored, last + 1, -1 do
    stored[j] = nil
  end
  if last == 1 then
    save(c, '', nil, now)
  else
    save(c, cmsgpack.pack(stored), ttl_millis((c.newest + c.slices + 1) * c.changed.length - now, testing), now)
  end
end

-- Returns the stored numbers as of this slice: the slice, then the counts from it backwards, without those that are over; nil if the
-- value is unusual.
local function slices_at(value, d, present)
  if not value then
    return {present, 0}
  end
  local read, stored = pcall(cmsgpack.unpack, value)
  local newest = read and type(stored) == 'table' and stored[1]
  if not newest or not is_count(newest) or newest > present then
    return nil
  end
  local shift, most = present - newest, d.slices + 2
  if shift >= most - 1 then
    return {present, 0}
  end
  if shift > 0 then
    local moved = {present}
    for j = 2, min(most, #stored + shift) do
      moved[j] = j > shift + 1 and stored[j - shift] or 0
    end
    stored = moved
  end
  return stored
end

function sliding.take(value, d, now)
  local length, last = d.length, d.slices + 2
  local present = (now - now % length) / length
  local stored = slices_at(value, d, present)
  if not stored or #stored < 2 or #stored > last then
    return nil
  end
  local total = 0
  for j = 2, #stored do
    local count = stored[j]
    if not is_count(count) then
      return nil
    end
    if j == last and d.weighted then
      count = scaled(length - (now - present * length), count, length, true)
    end
    total = total + count
  end
  local room = d.capacity - total - d.permits
  if room < d.keep then
    return nil
  end
  stored[2] = stored[2] + d.permits
  for j = #stored, 3, -1 do
    if stored[j] > 0 then
      break
    end
    stored[j] = nil
  end
  return room, (present + d.slices + 1) * length - now, cmsgpack.pack(stored)
end
