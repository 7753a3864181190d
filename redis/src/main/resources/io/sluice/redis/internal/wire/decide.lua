#!lua name=sluice
-- Runs operations in order, each all or nothing, in one step: charges, looks, returns charges, renews permits, grants and ends
-- leases. This is a library of functions, because Redis runs a script from its first line at every call, and creating its
-- functions anew costs more than a decision does.
--
-- KEYS     the counts, each once. When recording, they are followed by the keys of the step numbers of those counts that cannot
--          hold them (logs, concurrency)
-- ARGV[1]  '' to decide by TIME; otherwise the time in microseconds (for tests: the vectors bring their own)
-- ARGV[2]  '' normally. To number the steps of each count: 'n', followed by two bytes for each of the trailing KEYS, which name
--          the count whose numbers that key holds
-- ARGV[3]  the plan: the operations in bytes. Numbers have two bytes, the high one first. Each operation has a letter, the number
--          of its demands, and for each demand the index of its key in KEYS and the index of its text in ARGV[4…], from 1. The
--          letters are c (charge), l (look), b (give back), r (renew), g (grant a lease) and e (end leases). A charge with one
--          demand on a count that no other operation uses may be o instead: it means the same and is decided faster. g and e
--          have two demands: the count, and the records of its leases
-- ARGV[4…] the demands as text, each once: kind, permits, at_least, max_wait, capacity, three more, and the holder
--          kind      tb token bucket, lb leaky bucket, fw fixed window, sw sliding window, sl sliding log, cc concurrency,
--                    ls leases
--          permits   the permits wanted or, for b, to give back
--          at_least  the smallest useful grant
--          max_wait  in microseconds; for b, the time of the charge
--          capacity  the most that can ever be granted; 0 always refuses
--          three     tb: permits and microseconds of the rate          lb: the same, and the longest wait of the limit
--                    fw: length of a window; or 0 and the boundaries of the windows around the present, separated by commas
--                    sw: length of a slice, number of slices, 1 if weighted
--                    sl: window           cc: time to live
--                    ls: time to live; capacity is the most that may be out. Then follow the name of the lease, and for each
--                    lease to end its name and how much of it was spent
--
-- Reply    a string of little-endian doubles. First now, then the answers of the operations. Times are in microseconds; -1 means
--          never
--          c, l      five numbers for each demand: grant (0 means refused), remaining, wait if granted or else retry, reset,
--                    charged_at
--          b, r      one number: 1 if a permit among them was still held, else 0
--          g         granted (0 means refused), 1 if too much is out already or else 0, remaining, wait if granted or else
--                    retry, reset, charged_at, and in how long the lease ends; then the same as for e
--          e         for each ended lease, how much was unspent
--          recording then two numbers for each demand: since when its count is numbered, and the number of its step. A step that
--                    wrote nothing has -1 - n, where n is the number of the last step that did. With "since" 0, n is 0 if there
--                    is no count, and 1 if there is one that was never numbered. For g and e, one pair for each ended lease and,
--                    for g, one for the grant
--          -1 alone  nothing was done for the operation, because its boundaries do not reach the server's time: ask again with
--                    others
--          -2 alone  nothing was done for the operation, because it needs a new key and none may be created
-- State    tb, lb: used, parts, of, at, flow, since. At the time "at", used + parts/of permits are used. From then on, flow
--          permits drain every "of" microseconds, until a demand comes with another rate. In 7, 6, 6, 7, 4, 7 bytes
--          fw: start, used, seven bytes each        sw: msgpack [newest, count, count, …], from the newest slice backwards
--          sl: a list. The first element holds used and newest; then time and permits of each moment that admitted, oldest
--          first. Times take seven bytes, permits five
--          cc: a sorted set with a member for each holder, scored with the time at which its permits expire; see below
--          ls: for each lease the permits in five bytes, the times of its charge and its end in seven each, and its name after
--          one byte for its length; oldest first. Some ended leases are kept for a while, so that their unspent permits can
--          still be returned
--          When recording, tb, lb, fw and sw are preceded by a header: 193, since when the steps are numbered, the number of the
--          last step that wrote, and when the state itself expires, in 1, 7, 7, 7 bytes. A call that does not record reads the
--          header and drops it when it writes
-- Publish  an empty message on the channel named like a count when the count may admit sooner than was said, for processes that
--          cache refusals. That happens when permits were returned, or when the count now has a faster rate. There are no
--          messages for concurrency, because its refusals are never cached
-- TTL      set with every write: the time until the count is as if unused, plus a second for clocks that step back. An expired
--          count and one that has aged to nothing give the same answers, even at another rate, because a count ages at the rate
--          with which it was written. So the TTL carries no state. Step numbers stay for a day; a state with a header still
--          counts as expired when its own time is over
-- Cost     one GET or MGET for all counts; one SET for each count that changes, however many operations change it; for a log one
--          LRANGE and two to four writes; one PUBLISH for each count with returned permits
-- Twin     io.sluice.core.algorithm. Golden vectors keep the two alike. All numbers are integers below 2^53; products that could
--          be larger go through mul_div
--
-- No request is charged before each of its demands has been judged. A refusal writes only what keeps time moving, and a change of
-- rate. A count that cannot be read is treated as unused: another program has written to its key, and one such key must not keep
-- a whole batch from being decided.
--
-- In a Cluster, a count may be used while its slot is leaving this node. Then existing keys can be changed, but no key can be
-- created, not even one that existed when the call began. So no key is deleted before the last step that changes it: a count that
-- was emptied, and may be used again by the same batch, stays as an empty count for a second.

local NEVER = -1
local CLAMPED = 1000000       -- if time steps back by less, the count waits; if by more, it is re-based
local MAX_MICROS = 9007199254740991
local MAX_ELAPSED = 4503599627370496
local TRIMMED_BY_REFUSALS = 64
local CHUNK = 64
local EXACT = 9007199254740992
local KEYS_AT_ONCE = 1000     -- Lua passes at most a few thousand arguments
local HOLDERS_SEEN = 1024
local TEXTS_KEPT = 4000
local BUCKETS_KEPT = 1000
local RECORDED_MILLIS = '86400000'
local OUTSIDE, NO_MEMORY = -1, -2
local CHARGE, LOOK, GIVE_BACK, ONLY, GRANT, END = 99, 108, 98, 111, 103, 101 -- c, l, b, o, g, e
local ENDED_KEPT, ENDED_MOST = 10000000, 100 -- how long ended leases are kept, and how many

-- Lua's own libraries are not available while this library is loaded; the first call fetches them.
local call, floor, max, min, byte, format, pack, unpack_bytes

local function fetch_libraries()
  call = redis.call
  floor, max, min = math.floor, math.max, math.min
  byte, format = string.byte, string.format
  pack, unpack_bytes = struct.pack, struct.unpack
end

-- Returns quotient and remainder of a * b / m, exactly, for a < m < 2^47 and b < 2^47. (In doubles, the remainder of integers
-- below 2^53 is exact.)
local function mul_div(a, b, m)
  local product = a * b
  if product < EXACT then
    local rest = product % m
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
    rest = value % m
    quotient = quotient * 32 + (value - rest) / m
    place = place / 32
  end
  return quotient, rest
end

-- Returns the whole permits, and the parts of 1/per, that flow in a span.
local function flowed(d, micros)
  local flow, per = d.flow, d.per
  local total = micros * flow
  if total < EXACT then
    local rest = total % per
    return (total - rest) / per, rest
  end
  local rest = micros % per
  local whole, parts = mul_div(rest, flow, per)
  return (micros - rest) / per * flow + whole, parts
end

-- Returns the first microsecond at which this much has flowed.
local function micros_for(d, whole, parts)
  local flow, per = d.flow, d.per
  local total = whole * per + parts
  if total < EXACT then
    local rest = total % flow
    return (total - rest) / flow + (rest > 0 and 1 or 0)
  end
  local rest = whole % flow
  local rounds = (whole - rest) / flow
  if rounds > floor(MAX_MICROS / per) then
    return MAX_MICROS
  end
  local quotient, left = mul_div(rest, per, flow)
  left = left + parts
  local more = left % flow
  quotient = quotient + (left - more) / flow
  if more > 0 then
    quotient = quotient + 1
  end
  return min(MAX_MICROS, rounds * per + quotient)
end

local function of_room(d, room)
  return d.permits <= room and d.permits or d.at_least <= room and room or 0
end

-- Caches the texts of numbers: looking one up is cheaper than formatting it.
local texts, texts_size = {}, 0

local function text_of(number)
  local text = texts[number]
  if not text then
    text = format('%d', number)
    if texts_size >= TEXTS_KEPT then
      texts, texts_size = {}, 0
    end
    texts[number], texts_size = text, texts_size + 1
  end
  return text
end

local function ttl_millis(micros, testing)
  if micros < 0 then
    micros = 0
  elseif micros >= MAX_MICROS - 1000 then
    micros = MAX_MICROS - 1000
  end
  local millis = (micros - micros % 1000) / 1000 + 1001
  if testing and millis < 600000 then
    -- In tests, the given time stands still while the server's time goes on.
    millis = 600000
  end
  return text_of(millis)
end

-- The counts that may admit sooner than was said; nil if there are none.
local eased

local function ease(key)
  eased = eased or {}
  eased[key] = true
end

---------------------------------------------------------------------------------------------------- numbers of steps

-- No other state starts with 193 and has this length: msgpack never starts so, and the other states each have one fixed length.
local NUMBERED = 193
local NUMBER = '<BI7I7I7'
local NUMBER_BYTES = 22
local APART_BYTES = 16        -- the size of a number that has its own key

-- Whether this call numbers steps.
local recording

-- Returns the state in a value without its header, which is stored in c. "bytes" is the length of the state if it is fixed.
local function state_of(c, value, bytes, now)
  c.stored, c.begun, c.number, c.expires, c.stepped = value and true or false, nil, nil, nil, false
  local length = value and #value or 0
  if length < NUMBER_BYTES or byte(value) ~= NUMBERED or bytes and length ~= NUMBER_BYTES and length ~= NUMBER_BYTES + bytes then
    return value
  end
  local _
  _, c.begun, c.number, c.expires = unpack_bytes(NUMBER, value)
  return length > NUMBER_BYTES and now < c.expires and string.sub(value, NUMBER_BYTES + 1)
end

local function expires_at(now, millis)
  return min(MAX_MICROS, now + millis * 1000)
end

-- Returns how long a value with a number is kept: at least a day.
local function kept_millis(millis)
  return #millis < #RECORDED_MILLIS and RECORDED_MILLIS or text_of(max(tonumber(RECORDED_MILLIS), tonumber(millis)))
end

-- Writes a state; '' if the count is unused. It expires after the given milliseconds or, without them, when it did before.
local function save(c, state, millis, now)
  if not recording then
    if state == '' then
      call('DEL', c.key)
    elseif millis then
      call('SET', c.key, state, 'PX', millis)
    else
      call('SET', c.key, state, 'KEEPTTL')
    end
    return
  end
  local expires = millis and expires_at(now, millis) or c.expires or MAX_MICROS
  local value = pack(NUMBER, NUMBERED, c.begun, c.number, expires) .. state
  if millis or not c.stored or state == '' then
    call('SET', c.key, value, 'PX', kept_millis(millis or '0'))
  else
    call('SET', c.key, value, 'KEEPTTL')
  end
end

-- Returns since when the steps of a count are numbered, and the number of this step. A numbering that starts on an existing state
-- starts with 2, because what came before is unknown.
local function step_of(c, wrote, now)
  local begun, number = c.begun, c.number or c.stored and 1 or 0
  if not wrote then
    return begun or 0, -1 - number
  end
  begun, number = begun or now, number + 1
  c.begun, c.number, c.stepped = begun, number, true
  return begun, number
end

-- An algorithm has these functions:
--   load(key, value, d, now)               returns the count as of now; c.at is the time that it uses. Returns nil if the
--                                          boundaries of the demand do not reach the present
--   grant(c, d, now)                       returns how much the demand would get; 0 means refused
--   verdict(c, d, grant, charged, now)     returns remaining, wait if granted or else retry, reset
--   charge(c, d, grant, now), refuse(c, d, now), give_back(c, d, now), renew(c, d, now)
--                                          leave in c.changed the demand that changed the count last
--   write(c, now, testing)                 is called at the end if c.changed is set
-- The operations of a batch use the same count, one after the other.
local algorithms = {}

---------------------------------------------------------------------------------------------------------- token bucket

local bucket = {}
algorithms.tb = bucket

local BUCKET = '<I7I6I6I7I4I7'
local BUCKET_BYTES = 37
local NUMBERED_BUCKET = '<BI7I7I7I7I6I6I7I4I7'
local NUMBERED_BUCKET_BYTES = NUMBER_BYTES + BUCKET_BYTES
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
  local permits, room = d.permits, bucket_room(c, d, c.used)
  if permits <= room then
    return permits
  end
  if d.max_wait > 0 and permits <= d.capacity and until_level(c, d, c.used, d.capacity - permits, now) <= d.max_wait then
    return permits
  end
  return d.at_least <= room and room or 0
end

function bucket.verdict(c, d, grant, charged, now)
  local used = c.used
  local left = NEVER
  if grant > 0 then
    left = until_level(c, d, used, d.capacity - grant, now)
  elseif d.at_least <= d.capacity then
    left = until_level(c, d, used, d.capacity - d.at_least, now)
    if d.max_wait > 0 and d.permits <= d.capacity then
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

-- Returns whether this is the common case: the demand fits now, its numbers have ordinary sizes, and the count has its rate.
function bucket.fits(c, d)
  if c.aged_for ~= d or c.kept or c.rebased or d.flow == 0 then
    return false
  end
  local used, parts = c.used + d.permits, c.parts
  return (parts > 0 and used < d.capacity or parts == 0 and used <= d.capacity) and used * d.per + parts < MAX_ELAPSED
end

-- Does what grant, verdict and charge do, in one step, for a demand that fits. Returns remaining and reset.
function bucket.take(c, d, now)
  local used, parts, flow = c.used + d.permits, c.parts, d.flow
  local room, total = d.capacity - used, used * d.per + parts
  if parts > 0 then
    room = room - 1
  end
  local rest = total % flow
  local reset = c.at - now + (total - rest) / flow
  if rest > 0 then
    reset = reset + 1
  end
  c.used, c.reset, c.changed = used, reset, d
  return room, reset
end

-- Does everything for the most common case: one charge on a count that no other operation uses, at the rate of its last charge.
-- Returns remaining, reset and, when recording, the step number. In any other case it does nothing and returns nil.
local function take_only(key, value, d, now, testing)
  local permits, flow, per = d.permits, d.flow, d.per
  local used, parts, of, at, stored_flow, since = 0, 0, per, now, flow, now
  local begun, number = now, 0
  if value then
    local stored_since
    if not recording and #value == BUCKET_BYTES then
      used, parts, of, at, stored_flow, stored_since = unpack_bytes(BUCKET, value)
    elseif recording and #value == NUMBERED_BUCKET_BYTES and byte(value) == NUMBERED then
      local _, expires
      _, begun, number, expires, used, parts, of, at, stored_flow, stored_since = unpack_bytes(NUMBERED_BUCKET, value)
      if now >= expires then
        return nil
      end
    else
      return nil
    end
    if used > 0 or parts > 0 then
      since = stored_since
    end
    local drained = (now - at) * flow
    if of ~= per or stored_flow ~= flow or at > now or drained >= EXACT then
      return nil
    end
    local rest = drained % per
    used, parts = used - (drained - rest) / per, parts - rest
    if parts < 0 then
      used, parts = used - 1, parts + per
    end
    if used < 0 then
      used, parts = 0, 0
    end
  end
  used = used + permits
  local room, total = d.capacity - used, used * per + parts
  if parts > 0 then
    room = room - 1
  end
  if room < 0 or total >= MAX_ELAPSED or flow == 0 then
    return nil
  end
  local rest = total % flow
  local reset = (total - rest) / flow
  if rest > 0 then
    reset = reset + 1
  end
  local millis = ttl_millis(reset, testing)
  if not recording then
    call('SET', key, pack(BUCKET, used, parts, per, now, flow, since), 'PX', millis)
    return room, reset
  end
  number = number + 1
  call('SET', key,
    pack(NUMBERED_BUCKET, NUMBERED, begun, number, expires_at(now, millis), used, parts, per, now, flow, since),
    'PX', kept_millis(millis))
  return room, reset, begun, number
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

---------------------------------------------------------------------------------------------------------- leaky bucket

-- Has the same state. The used permits are those ahead of the next request, and the time to drain them is its wait.
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
  elseif d.at_least <= d.capacity then
    left = max(until_level(c, d, used, d.capacity - d.at_least, now),
      until_level(c, d, used, 0, now) - min(d.max_wait, d.longest))
  end
  if charged then
    used = used + grant
  end
  c.reset = bucket_reset(c, d, used, now)
  return leaky_room(c, d, used, d.longest, now), left, c.reset
end

---------------------------------------------------------------------------------------------------------- fixed window

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
    local start, used = unpack_bytes('<I7I7', value)
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
  return max(0, d.capacity - used), grant > 0 and 0 or d.at_least > d.capacity and NEVER or left, used == 0 and 0 or left
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

function window.write(c, now, testing)
  if c.used == 0 then
    save(c, '', nil, now)
  else
    save(c, pack('<I7I7', c.first, c.used), ttl_millis(c.last - now, testing), now)
  end
end

-------------------------------------------------------------------------------------------------------- sliding window

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
  local newest, counts = stored[1], {}
  for j = 2, min(#stored, slices + 2) do
    local count = stored[j]
    if not is_count(count) then
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
    left = d.at_least > d.capacity and NEVER or when_fits(c, d, d.at_least) - now
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

function sliding.give_back(c, d, now)
  move_to(c, c.newest)
  local j = c.newest - floor(d.max_wait / d.length)
  if (c.counts[j] or 0) > 0 then
    c.counts[j] = max(0, c.counts[j] - d.permits)
    ease(c.key)
  end
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

----------------------------------------------------------------------------------------------------------- sliding log

local log = {}
algorithms.sl = log

local ENTRY_BYTES = 12

local function entry_of(time, permits)
  return pack('<I7I5', time, permits)
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
  if text and #text == ENTRY_BYTES then
    return unpack_bytes('<I7I5', text)
  end
  c.damaged = c.damaged or text and true
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
  if stored.err or size > 0 and #stored[1] ~= ENTRY_BYTES then
    return remove_log(key, now)
  elseif size == 0 then
    return c
  end
  c.new, c.complete = false, size <= CHUNK
  c.newest, c.used = unpack_bytes('<I7I5', stored[1])
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
    left = d.at_least > d.capacity and NEVER or until_freed(c, d, c.used + d.at_least - d.capacity, now)
  end
  if used > 0 then
    reset = ((charged or c.rebased) and c.at or c.newest) + d.window - now
  end
  return max(0, d.capacity - used), left, reset
end

-- Forgets entries that no longer count.
local function settle(c, d)
  if c.rebased then
    c.new, c.complete, c.entries, c.added, c.first = true, true, {}, {entry_of(c.at, c.used)}, 1
    c.newest, c.rebased = c.at, false
  end
  c.dropped, c.changed = c.first - 1, d
end

-- Admissions of the same moment share one entry, because nothing could tell them apart.
function log.charge(c, d, grant)
  settle(c, d)
  local added = c.added
  local last, permits = #added, 0
  if last > 0 then
    permits = select(2, unpack_bytes('<I7I5', added[last]))
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
    settle(c, d)
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

-- Works on the list itself, because it searches from the end. The next operation reads the list again.
function log.give_back(c, d, now, testing)
  c.stale = true
  if c.new and not c.added[1] then
    return
  end
  settle(c, d)
  log.write(c, now, testing)
  c.changed = false
  local key, charged_at, used, left = c.key, d.max_wait, c.used, d.permits
  local index = call('LLEN', key) - 1
  while left > 0 and index >= 1 do
    local text = call('LINDEX', key, index)
    if #text ~= ENTRY_BYTES then
      call('DEL', key)
      return
    end
    local time, permits = unpack_bytes('<I7I5', text)
    if time < charged_at then
      break
    end
    if time == charged_at then
      local back = min(left, permits)
      left, used = left - back, used - back
      call('LSET', key, index, permits > back and entry_of(time, permits - back) or 'gone')
    end
    index = index - 1
  end
  call('LREM', key, 0, 'gone')
  if left < d.permits then
    ease(key)
  end
  local newest = 0
  if call('LLEN', key) > 1 then
    local text = call('LINDEX', key, -1)
    if #text ~= ENTRY_BYTES then
      call('DEL', key)
      return
    end
    newest = unpack_bytes('<I7I5', text)
  else
    used = 0
  end
  call('LSET', key, 0, entry_of(newest, used))
  call('PEXPIRE', key, ttl_millis(newest + d.window - now, testing))
end

----------------------------------------------------------------------------------------------------------- concurrency

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
    local needed = c.used + d.at_least - d.capacity
    if d.at_least > d.capacity then
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

----------------------------------------------------------------------------------------------------------------- leases

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

--------------------------------------------------------------------------------------------------------------- demands

local function demand(text)
  local words = {}
  for word in string.gmatch(text, '%S+') do
    words[#words + 1] = word
  end
  local kind, first, second = words[1], tonumber(words[6]), words[7]
  local d = {
    algorithm = algorithms[kind],
    permits = tonumber(words[2]),
    at_least = tonumber(words[3]),
    max_wait = tonumber(words[4]),
    capacity = tonumber(words[5]),
  }
  if kind == 'tb' or kind == 'lb' then
    d.flow, d.per, d.longest = first, tonumber(second), tonumber(words[8])
  elseif kind == 'fw' then
    d.length, d.boundaries = first, {}
    for boundary in string.gmatch(second, '%d+') do
      d.boundaries[#d.boundaries + 1] = tonumber(boundary)
    end
  elseif kind == 'sw' then
    d.length, d.slices, d.weighted = first, tonumber(second), words[8] == '1'
  elseif kind == 'sl' then
    d.window = first
  elseif kind == 'ls' then
    d.ttl, d.lease, d.ended = first, words[9], {}
    for i = 10, #words, 2 do
      d.ended[#d.ended + 1] = {name = words[i], spent = tonumber(words[i + 1])}
    end
  else
    d.ttl, d.holder = first, words[9]
  end
  return d
end

-- Caches parsed demands: the same few texts come again and again, and parsing one costs more than deciding it.
local known, known_size = {}, 0

local function read_demands(args, list)
  for i = 4, #args do
    local text = args[i]
    local d = known[text]
    if not d then
      d = demand(text)
      if known_size >= TEXTS_KEPT then
        known, known_size = {}, 0
      end
      -- Names of leases and of holders come only once, so those are not cached.
      if not d.ttl then
        known[text], known_size = d, known_size + 1
      end
    end
    list[i - 3] = d
  end
end

-------------------------------------------------------------------------------------------------------------- decision

local function values_of(keys)
  local size = #keys
  if size == 0 then
    return {}
  end
  if size == 1 then
    local value = redis.pcall('GET', keys[1])
    if type(value) == 'table' then
      -- A key that is not a string may be a log. Any other error is raised: an unreadable count must not pass for an unused one.
      if string.sub(value.err, 1, 9) ~= 'WRONGTYPE' then
        error(value.err)
      end
      value = false
    end
    return {value}
  end
  -- MGET returns nil for a key that is not a string, so logs may be among the keys.
  if size <= KEYS_AT_ONCE then
    return call('MGET', unpack(keys))
  end
  local values = {}
  for from = 1, size, KEYS_AT_ONCE do
    local to = min(size, from + KEYS_AT_ONCE - 1)
    local some = call('MGET', unpack(keys, from, to))
    for i = from, to do
      values[i] = some[i - from + 1]
    end
  end
  return values
end

-- Returns whether every demand fits. Afterwards, grants[i] holds how much each would get.
local function all_fit(counts, wanted, grants, n, now)
  local fit = true
  for i = 1, n do
    local d = wanted[i]
    local grant = d.algorithm.grant(counts[i], d, now)
    grants[i] = grant
    fit = fit and grant > 0
  end
  return fit
end

-- The state of the running call; only one call runs at a time.
local keys, size, values, counts, steps, apart, now, testing, existing, replies

-- Reused by each call as far as needed, because creating tables is expensive.
local demanded, these, wanted, grants, numbered, wrote, reply = {}, {}, {}, {}, {}, {}, {}

local function answer(text)
  replies = replies + 1
  reply[replies] = text
end

-- Reads the counts of an operation. Returns the reply code of what keeps it from being decided, if anything; see Reply.
local function read_ask(plan, place, n, charges)
  local hindrance
  for i = 1, n do
    local k1, k2, d1, d2 = byte(plan, place, place + 3)
    local k, d = k1 * 256 + k2, demanded[d1 * 256 + d2]
    place = place + 4
    local c = counts[k]
    if existing and charges and not values[k] and call('EXISTS', keys[k]) == 0 then
      hindrance = NO_MEMORY
    end
    if not c or c.stale then
      c = d.algorithm.load(keys[k], values[k], d, now)
      counts[k] = c
      if not c then
        hindrance = hindrance or OUTSIDE
      end
    end
    these[i], wanted[i] = c, d
    if recording then
      numbered[i] = k
    end
  end
  return hindrance
end

-- Handles the common case. Returns whether this was one, and whether its steps are numbered already.
local function charge_buckets(n)
  for i = 1, n do
    local d = wanted[i]
    if d.algorithm ~= bucket or not bucket.fits(these[i], d) then
      return false
    end
  end
  if n == 1 and recording then
    local c, d = these[1], wanted[1]
    local room, reset = bucket.take(c, d, now)
    answer(pack('<ddddddd', d.permits, room, 0, reset, c.at, step_of(c, true, now)))
    return true, true
  end
  for i = 1, n do
    local c, d = these[i], wanted[i]
    local room, reset = bucket.take(c, d, now)
    answer(pack('<ddddd', d.permits, room, 0, reset, c.at))
    wrote[i] = true
  end
  return true
end

local function decide_ask(n, charges)
  local fit = all_fit(these, wanted, grants, n, now)
  for i = 1, n do
    local c, d, grant = these[i], wanted[i], grants[i]
    local algorithm = d.algorithm
    local remaining, left, reset = algorithm.verdict(c, d, grant, fit and charges, now)
    answer(pack('<ddddd', grant, remaining, left, reset, c.at))
    wrote[i] = charges and (fit or c.rebased)
    if fit and charges then
      algorithm.charge(c, d, grant, now, testing)
    elseif charges then
      algorithm.refuse(c, d, now, testing)
    end
  end
end

-- Gives charges back, or renews them.
local function change_charges(purpose, n)
  local was_held = false
  for i = 1, n do
    local c, d = these[i], wanted[i]
    local change = purpose == GIVE_BACK and d.algorithm.give_back or d.algorithm.renew
    wrote[i] = true
    -- Other limits than held permits answer nothing, and cannot be renewed.
    was_held = change ~= nil and change(c, d, now, testing) == true or was_held
  end
  answer(pack('<d', was_held and 1 or 0))
end

-- Returns the same demand for another number of permits and, for permits to give back, the time of their charge.
local function for_permits_of(d, permits, charged_at)
  return setmetatable({permits = permits, max_wait = charged_at}, {__index = d})
end

-- Returns the unspent permits of ended leases, as far as the leases are known and still count.
local function end_leases()
  local c, d, out, asked = these[1], wanted[1], these[2], wanted[2]
  local unspent = {}
  for i, ended in ipairs(asked.ended) do
    local lease = take_lease(out, ended.name)
    local left = lease and max(0, lease.permits - ended.spent) or 0
    if left > 0 then
      d.algorithm.give_back(c, for_permits_of(d, left, lease.charged_at), now, testing)
    end
    if lease then
      out.changed = asked
    end
    unspent[i] = pack('<d', left)
  end
  return table.concat(unspent)
end

-- A lease gets at most half of what may still be out, so that the first processes do not leave the others without.
local function grant_lease()
  local unspent = end_leases()
  local c, d, out, asked = these[1], wanted[1], these[2], wanted[2]
  local algorithm = d.algorithm
  local room = asked.capacity - out_on_leases(out, now)
  local most = room < d.at_least and 0 or min(d.permits, max(d.at_least, floor((room + 1) / 2)))
  local part = most > 0 and for_permits_of(d, most, d.max_wait) or d
  local grant = algorithm.grant(c, part, now)
  local charged = most > 0 and grant > 0
  local remaining, left, reset = algorithm.verdict(c, part, grant, charged, now)
  local charged_at, ends = c.at, now + asked.ttl
  wrote[1] = charged or most > 0 and c.rebased
  if charged then
    if c.last and c.last < ends then
      ends = c.last
    end
    algorithm.charge(c, part, grant, now, testing)
    out.all[#out.all + 1] = {name = asked.lease, permits = grant, charged_at = charged_at, ends = ends}
    out.changed = asked
  elseif most > 0 then
    algorithm.refuse(c, part, now, testing)
  end
  answer(pack('<ddddddd', charged and grant or 0, most > 0 and 0 or 1, remaining, most > 0 and left or 0, reset, charged_at,
    ends - now))
  answer(unspent)
end

-- Numbers a step of a count, for checking a history later, and returns since when: a numbering that starts anew has another
-- "since". Counts that cannot hold the numbers have them under their own key, and there every step has one.
local function number(k, c, writes)
  local key = apart[k]
  if not key then
    return pack('<dd', step_of(c, writes, now))
  end
  local last = steps[k] or values[key]
  local since, n = now, 0
  if last and #last == APART_BYTES then
    since, n = unpack_bytes('<dd', last)
  end
  local step = pack('<dd', since, n + 1)
  steps[k] = step
  return step
end

-- Decides a charge marked with o. Returns nil or false if it is not the common case.
local function decide_only(plan, place)
  local k1, k2, d1, d2 = byte(plan, place, place + 3)
  local k, d = k1 * 256 + k2, demanded[d1 * 256 + d2]
  if d.algorithm ~= bucket or existing then
    return false
  end
  local room, reset, begun, n = take_only(keys[k], values[k], d, now, testing)
  if n then
    answer(pack('<ddddddd', d.permits, room, 0, reset, now, begun, n))
  elseif room then
    answer(pack('<ddddd', d.permits, room, 0, reset, now))
  end
  return room
end

local function number_steps(purpose, n)
  if purpose == GRANT or purpose == END then
    for _ = 1, #wanted[2].ended do
      answer(number(numbered[1], these[1], true))
    end
    n = purpose == GRANT and 1 or 0
  end
  for i = 1, n do
    answer(number(numbered[i], these[i], wrote[i]))
  end
end

local function write_numbers()
  for k, step in pairs(steps) do
    call('SET', keys[apart[k]], step, 'PX', RECORDED_MILLIS)
  end
end

local function decide_asks(plan)
  local place, length = 1, #plan
  while place < length do
    local purpose, high, low = byte(plan, place, place + 2)
    local n, from = high * 256 + low, place + 3
    place = from + 4 * n
    local only = purpose == ONLY
    if not (only and decide_only(plan, from)) then
      local charges = only or purpose == CHARGE
      local hindrance, common, done = read_ask(plan, from, n, charges or purpose == GRANT), false, false
      if hindrance then
        answer(pack('<d', hindrance))
      elseif purpose == GRANT then
        grant_lease()
      elseif purpose == END then
        answer(end_leases())
      elseif charges or purpose == LOOK then
        if charges then
          common, done = charge_buckets(n)
        end
        if not common then
          decide_ask(n, charges)
        end
      else
        change_charges(purpose, n)
      end
      if recording and not hindrance and not done then
        number_steps(purpose, n)
      end
    end
  end
end

local function write_counts()
  for k = 1, size do
    local c = counts[k]
    if c and c.changed then
      c.changed.algorithm.write(c, now, testing)
    elseif c and recording and c.stepped then
      save(c, c.value or '', nil, now)
    end
  end
  if eased then
    for key in pairs(eased) do
      -- Clients that may not publish may still decide.
      redis.pcall('PUBLISH', key, '')
    end
  end
end

-- Reads which of the trailing KEYS holds the numbers of which count.
local function read_apart(text)
  apart, size = {}, #keys - (#text - 1) / 2
  for i = 1, #keys - size do
    local high, low = byte(text, 2 * i, 2 * i + 1)
    apart[high * 256 + low] = size + i
  end
end

local function decide_all(given, args, only_existing)
  if not call then
    fetch_libraries()
  end
  keys, existing, testing, recording = given, only_existing, args[1] ~= '', args[2] ~= ''
  if testing then
    now = tonumber(args[1])
  else
    local time = call('TIME')
    now = time[1] * 1000000 + time[2]
  end
  size, apart = #keys, nil
  if recording then
    read_apart(args[2])
  end
  values, counts, steps, replies, eased, buckets_used = values_of(keys), {}, recording and {}, 0, nil, 0
  read_demands(args, demanded)
  answer(pack('<d', now))
  decide_asks(args[3])
  write_counts()
  if recording then
    write_numbers()
  end
  return table.concat(reply, '', 1, replies)
end

-- When its memory is full, Redis refuses to run the first function (and on a replica both) before anything is done. Then the
-- second one can still run, because it creates no key.
redis.register_function{
  function_name = 'sluice_decide',
  callback = function(keys, args) return decide_all(keys, args, false) end,
  flags = {},
}
redis.register_function{
  function_name = 'sluice_existing',
  callback = function(keys, args) return decide_all(keys, args, true) end,
  flags = {'allow-oom'},
}
