-- Fixed window (fw): so many permits in each window.
--
-- State    start of the window and used permits, seven bytes each
-- Twin     io.sluice.core.algorithm.FixedWindowCount

local window = {}
algorithms.fw = window

-- Returns the window that contains a moment; nil if the boundaries do not reach it.
local function bounds(d, moment)
  local length, boundaries = d.length, d.boundaries
  if length > 0 then
    local start = moment - moment % length
    return start, start + length
  end
  for i = 1, #boundaries - 1 do
    if boundaries[i] <= moment and moment < boundaries[i + 1] then
      return boundaries[i], boundaries[i + 1]
    end
  end
end

local WINDOW = '<I7I7'
local WINDOW_BYTES = 14

-- c.used is the number of permits used in the window from c.first to c.last.
function window.load(key, value, d, now)
  local first, last = bounds(d, now)
  if not first then
    return nil
  end
  local c = {key = key, value = value, used = 0, first = first, last = last, at = now, rebased = false, changed = false}
  if recording or value and #value ~= WINDOW_BYTES then
    value = state_of(c, value, WINDOW_BYTES, now)
    c.value = value
  end
  if value and #value == WINDOW_BYTES then
    local start, used = unpack_bytes(WINDOW, value)
    if used > 0 and start >= first then
      c.used = used
      if start - now > CLAMPED then
        c.rebased = start > first
      elseif start > first then
        c.at = start
        c.first, c.last = bounds(d, start)
      end
    end
  end
  return c.first and c
end

function window.grant(c, d)
  return of_room(d, max(0, d.capacity - c.used))
end

function window.verdict(c, d, grant, charged, now)
  local used = charged and c.used + grant or c.used
  local left = c.last - now
  return max(0, d.capacity - used), grant > 0 and 0 or d.needed > d.capacity and NEVER or left, used == 0 and 0 or left
end

function window.charge(c, d, grant)
  c.used, c.changed = c.used + grant, d
end

function window.refuse(c, d)
  if c.rebased then
    c.changed = d
  end
end

function window.give_back(c, d, now)
  local charged_at = d.max_wait
  if c.used > 0 and c.first <= charged_at and charged_at < c.last then
    c.used = max(0, c.used - d.permits)
    ease(c.key)
  end
  local first, last = bounds(d, now)
  if c.used == 0 and first then
    -- Time stands still only while something is still used.
    c.first, c.last, c.at = first, last, now
  end
  c.changed = d
end

function window.settle(c, d, more, charged_at, now)
  local before = c.used
  if more > 0 then
    c.used = min(MOST_USED, before + more)
  elseif c.first <= charged_at and charged_at < c.last then
    c.used = max(0, before + more)
  end
  if c.used < before then
    ease(c.key)
  end
  local first, last = bounds(d, now)
  if c.used == 0 and first then
    c.first, c.last, c.at = first, last, now
  end
  c.changed = d
  return c.used - before
end

function window.write(c, now, testing)
  if c.used == 0 then
    save(c, '', nil, now)
  else
    save(c, pack(WINDOW, c.first, c.used), ttl_millis(c.last - now, testing), now)
  end
end

function window.take(value, d, now)
  local first, last = bounds(d, now)
  local used = 0
  if value and #value == WINDOW_BYTES then
    local start
    start, used = unpack_bytes(WINDOW, value)
    if start ~= first then
      if not first or start > first then
        return nil
      end
      used = 0
    end
  elseif value or not first then
    return nil
  end
  used = used + d.permits
  local room = d.capacity - used
  if room < d.keep then
    return nil
  end
  return room, last - now, pack(WINDOW, first, used)
end
