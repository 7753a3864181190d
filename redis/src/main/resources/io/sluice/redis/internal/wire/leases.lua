-- Leases (ls): permits that a process took in advance, and which of them are out.
--
-- State    for each lease the permits in five bytes, the times of its charge and its end in seven each, and its name after one byte
--          for its length; oldest first. Some ended leases are kept for a while, so that their unspent permits can still be returned

local leases = {}
algorithms.ls = leases

local LEASE = '<I5I7I7Bc0'

local function read_leases(value)
  local all, place, length = {}, 1, value and #value or 0
  while place <= length do
    local lease = {}
    lease.permits, lease.charged_at, lease.ends, lease.name, place = unpack_bytes(LEASE, value, place)
    all[#all + 1] = lease
  end
  return all
end

-- Loads the leases that are out, and some that ended recently. If time has stepped back so far that a lease was granted in the
-- future, it stays out for its full duration from now on. It returns nothing, because it is unknown where its permits count.
function leases.load(key, value, d, now)
  local c = {key = key, all = {}, at = now, changed = false}
  local read, all = pcall(read_leases, value)
  local ended = 0
  for i = 1, read and #all or 0 do
    local lease = all[i]
    if lease.charged_at - now > CLAMPED then
      lease.ends, lease.charged_at, c.changed = now + lease.ends - lease.charged_at, 0, d
    end
    ended = ended + (lease.ends > now and 0 or 1)
  end
  for i = 1, read and #all or 0 do
    local lease = all[i]
    if lease.ends > now then
      c.all[#c.all + 1] = lease
    else
      if ended <= ENDED_MOST and lease.ends + ENDED_KEPT > now then
        c.all[#c.all + 1] = lease
      end
      ended = ended - 1
    end
  end
  return c
end

local function out_on_leases(c, now)
  local out = 0
  for i = 1, #c.all do
    local lease = c.all[i]
    out = out + (lease.ends > now and lease.permits or 0)
  end
  return out
end

-- Removes and returns the lease with this name; nil if there is none.
local function take_lease(c, name)
  for i = 1, #c.all do
    if c.all[i].name == name then
      return table.remove(c.all, i)
    end
  end
end

function leases.write(c, now, testing)
  local records, last = {}, 0
  for i, lease in ipairs(c.all) do
    records[i] = pack(LEASE, lease.permits, lease.charged_at, lease.ends, #lease.name, lease.name)
    last = max(last, lease.ends)
  end
  if #records == 0 then
    call('DEL', c.key)
  else
    call('SET', c.key, table.concat(records), 'PX', ttl_millis(last + ENDED_KEPT - now, testing))
  end
end
