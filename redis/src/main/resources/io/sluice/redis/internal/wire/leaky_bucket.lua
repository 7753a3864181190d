-- Leaky bucket (lb): requests leave at a rate, each after those before it.
--
-- State    that of a token bucket. The used permits are those ahead of the next request, and the time to drain them is its wait
-- Twin     io.sluice.core.algorithm.LeakyBucketCount

local leaky = {
  load = bucket.load,
  charge = bucket.charge,
  refuse = bucket.refuse,
  give_back = bucket.give_back,
  write = bucket.write,
}
algorithms.lb = leaky

local function leaky_room(c, d, used, max_wait, now)
  if d.flow == 0 or until_level(c, d, used, 0, now) > max_wait then
    return 0
  end
  return bucket_room(c, d, used)
end

function leaky.grant(c, d, now)
  if c.aged_for ~= d then
    age_for(c, d, now)
  end
  return of_room(d, leaky_room(c, d, c.used, min(d.max_wait, d.longest), now))
end

function leaky.verdict(c, d, grant, charged, now)
  local used = c.used
  local left = NEVER
  if grant > 0 then
    left = until_level(c, d, used, 0, now)
  elseif d.needed <= d.capacity then
    left = max(until_level(c, d, used, d.capacity - d.needed, now),
      until_level(c, d, used, 0, now) - min(d.max_wait, d.longest))
  end
  if charged then
    used = used + grant
  end
  c.reset = bucket_reset(c, d, used, now)
  return leaky_room(c, d, used, d.longest, now), left, c.reset
end

function leaky.take(value, d, now)
  local used, parts, since = aged(value, d, now)
  local flow, per, longest = d.flow, d.per, d.longest
  if not used or flow == 0 then
    return nil
  end
  local wait, after = used * per + parts, (used + d.permits) * per + parts
  local room = d.capacity - used - d.permits
  if parts > 0 then
    room = room - 1
  end
  if room < d.keep or after >= MAX_ELAPSED then
    return nil
  end
  wait, after = wait + (flow - wait % flow) % flow, after + (flow - after % flow) % flow
  wait, after = wait / flow, after / flow
  if wait > longest or wait > d.max_wait then
    return nil
  end
  return after > longest and 0 or room, after, pack(BUCKET, used + d.permits, parts, per, now, flow, since), wait > 0 and wait
end
