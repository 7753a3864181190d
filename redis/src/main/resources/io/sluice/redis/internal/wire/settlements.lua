-- Records of settlements (st): which figure a reservation was settled with, so that each count settles it once.
--
-- State    text: the figure, and what was charged with it, which is negative if permits were given back
-- TTL      until the reservation is too old to be settled
-- Twin     io.sluice.core.local.SettlementTable

local settlements = {}
algorithms.st = settlements

local SETTLED, REPEATED, CONFLICT, UNKNOWN = 1, 2, 3, 4

-- d.permits is the figure, d.at_least what was reserved, d.max_wait the time of the charge, d.ttl how long after it it can be settled.
function settlements.load(key, value)
  local c = {key = key, at = 0, changed = false}
  if value then
    local actual, change = string.match(value, '^(%d+) (%-?%d+)$')
    c.actual, c.change = tonumber(actual), tonumber(change)
    c.unreadable = not c.actual
  end
  return c
end

local function is_due(d, now)
  local age = now - d.max_wait
  return age <= d.ttl and -age <= CLAMPED
end

-- Settles a reservation once. Returns how, and what was charged.
local function settle_once(record, asked, c, d, now, testing)
  if not is_due(asked, now) or record.unreadable then
    return UNKNOWN, 0
  elseif record.actual then
    if record.actual ~= asked.permits then
      return CONFLICT, 0
    end
    return REPEATED, record.change
  end
  local more = asked.permits - asked.at_least
  local change = more == 0 and 0 or d.algorithm.settle(c, d, more, asked.max_wait, now, testing, asked.permits)
  record.actual, record.change, record.changed = asked.permits, change, asked
  return SETTLED, change
end

function settlements.write(c, now, testing)
  local d = c.changed
  call('SET', c.key, format('%d %d', c.actual, c.change), 'PX', ttl_millis(d.max_wait + d.ttl - now, testing))
end
