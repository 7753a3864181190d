-- Token bucket (tb): permits drain at a rate, up to a burst.
--
-- State    used, parts, of, at, flow, since. At the time "at", used + parts/of permits are used. From then on, flow permits drain
--          every "of" microseconds, until a demand comes with another rate. In 7, 6, 6, 7, 4, 7 bytes
-- Twin     io.sluice.core.algorithm.TokenBucketCount

local bucket = {}
algorithms.tb = bucket

local BUCKET = '<I7I6I6I7I4I7'
local BUCKET_BYTES = 37
local AS_IT_WAS = -2          -- leaves the TTL as it is

-- Ages used + parts/of from "at" to the present at the stored rate, then converts it to the rate of d: used + parts/per. If the
-- rate of d is zero, nothing can be converted: parts then still refer to c.own, the stored rate. c.rebased says that even a
-- refusal has to write, because time has stepped back far or the rate has changed.
local function age_bucket(c, d, now, used, parts, of, at, flow, since)
  c.rebased, c.own = false, nil
  if used == 0 and parts == 0 or of == 0 then
    c.used, c.parts, c.at, c.since = 0, 0, now, now
    return
  end
  local own, other = d, of ~= d.per or flow ~= d.flow
  if other then
    own = {flow = flow, per = of}
  end
  if now > at then
    local whole, fraction = flowed(own, now - at < MAX_ELAPSED and now - at or MAX_ELAPSED)
    used, parts, at = used - whole, parts - fraction, now
    if parts < 0 then
      used, parts = used - 1, parts + of
    end
    if used < 0 then
      used, parts = 0, 0
    end
  elseif at - now > CLAMPED then
    since = max(since, at + 1)
    c.rebased, at = true, now
  end
  if other and d.flow == 0 then
    c.own = own
  elseif other then
    local per = d.per
    if of ~= per and parts > 0 then
      local quotient, rest = mul_div(parts, per, of)
      parts = rest > 0 and quotient + 1 or quotient
    end
    if parts >= per then
      used, parts = used + 1, parts - per
    end
    since = max(since, at)
    c.rebased = c.rebased or used > 0 or parts > 0
    c.faster = c.faster or d.flow * of > flow * per
  end
  c.used, c.parts, c.at, c.since = used, parts, at, since
end

local function age_stored(c, d, now)
  local value = c.value
  if value and #value == BUCKET_BYTES then
    age_bucket(c, d, now, unpack_bytes(BUCKET, value))
  else
    age_bucket(c, d, now, 0, 0)
  end
end

-- Tables of earlier calls are reused, because creating tables is expensive. Each call starts with the first.
local buckets, buckets_used = {}, 0

function bucket.load(key, value, d, now)
  local c = buckets[buckets_used + 1]
  if c then
    buckets_used = buckets_used + 1
    c.key, c.value, c.used, c.parts, c.at, c.since, c.aged_for, c.reset, c.changed = key, value, 0, 0, now, now, d, 0, false
    c.kept, c.rebased, c.faster, c.own = nil, nil, nil, nil
  else
    c = {key = key, value = value, used = 0, parts = 0, at = now, since = now, aged_for = d, reset = 0, changed = false}
    if buckets_used < BUCKETS_KEPT then
      buckets_used = buckets_used + 1
      buckets[buckets_used] = c
    end
  end
  if recording or value and #value ~= BUCKET_BYTES then
    value = state_of(c, value, BUCKET_BYTES, now)
    c.value = value
  end
  if value and #value == BUCKET_BYTES then
    age_bucket(c, d, now, unpack_bytes(BUCKET, value))
  end
  return c
end

local function packed(c)
  local d = c.own or c.aged_for
  return pack(BUCKET, c.used, c.parts, d.per, c.at, d.flow, c.since)
end

-- Puts the state that is stored, or will be, into c.value. If it will be stored, c.kept is its TTL.
local function keep_bucket(c)
  if c.changed and not c.kept then
    c.kept, c.value = c.reset, packed(c)
  end
end

-- Converts the count to another rate. The state that is stored, or will be, stays as it is unless the demand changes it.
local function age_for(c, d, now)
  local before = c.aged_for
  if before and d.flow == before.flow and d.per == before.per then
    c.aged_for = d
    return
  end
  keep_bucket(c)
  c.aged_for = d
  age_stored(c, d, now)
end

local function change_bucket(c, d)
  c.changed = d
  if c.kept or c.rebased then
    c.kept, c.rebased = nil, nil
  end
end

-- Returns the time until no more than this level is used.
local function until_level(c, d, used, level, now)
  local over, parts = used - level, c.parts
  if over < 0 or (over == 0 and parts == 0) then
    return 0
  end
  local micros = c.at - now + micros_for(d, over, parts)
  return micros < MAX_MICROS and micros or MAX_MICROS
end

local function bucket_reset(c, d, used, now)
  return d.flow == 0 and (used > 0 or c.parts > 0) and NEVER or until_level(c, d, used, 0, now)
end

local function bucket_room(c, d, used)
  local room = d.capacity - used
  if c.parts > 0 then
    room = room - 1
  end
  return room > 0 and room or 0
end

function bucket.grant(c, d, now)
  if c.aged_for ~= d then
    age_for(c, d, now)
  end
  local permits, free = d.permits, bucket_room(c, d, c.used) - d.keep
  if permits <= free then
    return permits
  end
  if d.keep == 0 and d.max_wait > 0 and permits <= d.capacity and until_level(c, d, c.used, d.capacity - permits, now) <= d.max_wait then
    return permits
  end
  return d.at_least <= free and free or 0
end

function bucket.verdict(c, d, grant, charged, now)
  local used = c.used
  local left = NEVER
  if grant > 0 then
    left = until_level(c, d, used, d.capacity - grant, now)
  elseif d.needed <= d.capacity then
    left = until_level(c, d, used, d.capacity - d.needed, now)
    if d.keep == 0 and d.max_wait > 0 and d.permits <= d.capacity then
      left = min(left, until_level(c, d, used, d.capacity - d.permits, now) - d.max_wait)
    end
  end
  if charged then
    used = used + grant
  end
  local reset = bucket_reset(c, d, used, now)
  c.reset = reset
  return bucket_room(c, d, used), left, reset
end

function bucket.charge(c, d, grant)
  c.used = c.used + grant
  change_bucket(c, d)
end

function bucket.refuse(c, d, now)
  if c.rebased then
    if c.own then
      c.reset = bucket_reset(c, c.own, c.used, now)
    end
    change_bucket(c, d)
  end
end

-- Returns used, parts and since as of now, at the rate of d; nil if the value has another rate or is unusual otherwise.
local function aged(value, d, now)
  local flow, per = d.flow, d.per
  if not value then
    return 0, 0, now
  end
  if #value ~= BUCKET_BYTES then
    return nil
  end
  local used, parts, of, at, stored_flow, since = unpack_bytes(BUCKET, value)
  local drained = (now - at) * flow
  if of ~= per or stored_flow ~= flow or at > now or drained >= EXACT then
    return nil
  end
  if used == 0 and parts == 0 then
    return 0, 0, now
  end
  local rest = drained % per
  used, parts = used - (drained - rest) / per, parts - rest
  if parts < 0 then
    used, parts = used - 1, parts + per
  end
  if used < 0 then
    return 0, 0, since
  end
  return used, parts, since
end

function bucket.take(value, d, now)
  local used, parts, since = aged(value, d, now)
  local flow, per = d.flow, d.per
  if not used or flow == 0 then
    return nil
  end
  used = used + d.permits
  local room, total = d.capacity - used, used * per + parts
  if parts > 0 then
    room = room - 1
  end
  if room < d.keep or total >= MAX_ELAPSED then
    return nil
  end
  local rest = total % flow
  local reset = (total - rest) / flow
  if rest > 0 then
    reset = reset + 1
  end
  return room, reset, pack(BUCKET, used, parts, per, now, flow, since)
end

-- Returns the charge less what has drained since, at the rate of the count since then; see BucketState.giveBack for why that is
-- safe. Does not age the count; the next operation does that.
function bucket.give_back(c, d, now)
  keep_bucket(c)
  local value = c.value
  if not value or #value ~= BUCKET_BYTES then
    return
  end
  local used, parts, of, at, flow, since = unpack_bytes(BUCKET, value)
  local charged_at = d.max_wait
  if flow == 0 or charged_at < since or charged_at - at > CLAMPED then
    return
  end
  local whole, fraction = flowed({flow = flow, per = of}, min(MAX_ELAPSED, max(0, max(at, now) - charged_at)))
  local back, back_parts = d.permits - whole, -fraction
  if back_parts < 0 then
    back, back_parts = back - 1, back_parts + of
  end
  if back < 0 then
    return
  end
  used, parts = used - back, parts - back_parts
  if parts < 0 then
    used, parts = used - 1, parts + of
  end
  if used < 0 or used == 0 and parts == 0 then
    c.value, c.kept = nil, 0
  else
    c.value, c.kept = pack(BUCKET, used, parts, of, at, flow, since), c.kept or AS_IT_WAS
  end
  c.changed, c.aged_for = d, nil
  ease(c.key)
end

-- Returns what is left of permits after a flow.
local function left_of(permits, whole, fraction, per)
  permits = permits - whole
  if fraction > 0 then
    permits, fraction = permits - 1, per - fraction
  end
  if permits < 0 then
    return 0, 0
  end
  return permits, fraction
end

-- Ages the count at its own rate. One that has drained continues at the rate of d. An unused bucket without a rate records nothing.
function bucket.settle(c, d, more, charged_at, now, testing, actual)
  keep_bucket(c)
  local value = c.value
  local own = {flow = d.flow, per = d.per}
  c.used, c.parts, c.at, c.since = 0, 0, now, now
  if value and #value == BUCKET_BYTES then
    local used, parts, of, at, flow, since = unpack_bytes(BUCKET, value)
    age_bucket(c, {flow = flow, per = of}, now, used, parts, of, at, flow, since)
    if c.used == 0 and c.parts == 0 then
      c.at, c.since = now, now
    else
      own = {flow = flow, per = of}
    end
  end
  local before, before_parts, per = c.used, c.parts, own.per
  local used, parts = before, before_parts
  if own.flow > 0 and more > 0 then
    used = used + min(more, MOST_USED - used)
  elseif own.flow > 0 and charged_at >= c.since and charged_at - c.at <= CLAMPED then
    local whole, fraction = flowed(own, min(MAX_ELAPSED, max(0, max(c.at, now) - charged_at)))
    local left, left_parts = left_of(actual - more, whole, fraction, per)
    local stays, stays_parts = left_of(actual, whole, fraction, per)
    if left > stays or left_parts > stays_parts then
      used, parts = used - left + stays, parts - left_parts + stays_parts
      if parts < 0 then
        used, parts = used - 1, parts + per
      elseif parts >= per then
        used, parts = used + 1, parts - per
      end
      if used < 0 then
        used, parts = 0, 0
      end
      ease(c.key)
    end
  end
  if used == 0 and parts == 0 then
    c.value, c.kept = nil, 0
  else
    c.parts = parts
    c.value, c.kept = pack(BUCKET, used, parts, per, c.at, own.flow, c.since), until_level(c, own, used, 0, now)
  end
  c.changed, c.aged_for = d, nil
  local whole, rest = used - before, parts - before_parts
  return whole > 0 and rest < 0 and whole - 1 or whole < 0 and rest > 0 and whole + 1 or whole
end

function bucket.write(c, now, testing)
  if c.faster then
    ease(c.key)
  end
  local reset = c.kept or c.reset
  if reset == 0 then
    save(c, '', nil, now)
  elseif reset == AS_IT_WAS then
    save(c, c.value, nil, now)
  else
    save(c, c.kept and c.value or packed(c), ttl_millis(reset == NEVER and 86400000000 or reset, testing), now)
  end
end
