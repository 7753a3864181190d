-- Shared by all algorithms: exact arithmetic on integers below 2^53, the texts of numbers, and which counts have to be announced.
--
-- These files are assembled into one library, in this order: arithmetic, steps, the algorithms, leases, settlements, demands, decide.
-- They share their local names, so each file may use the names of those before it. decide.lua describes the protocol.

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
local PACKED_AT_ONCE = 200
local RECORDED_MILLIS = 10000 -- how much longer than its count a step number is kept
local OUTSIDE, NO_MEMORY = -1, -2
local CHARGE, LOOK, GIVE_BACK, GRANT, END, SETTLE = 99, 108, 98, 103, 101, 115 -- c, l, b, g, e, s
local TIME, NUMBERING = 84, 78 -- T, N
local COMMON = -3
local ENDED_KEPT, ENDED_MOST = 10000000, 100 -- how long ended leases are kept, and how many
local MOST_USED = 1000000000000000 -- settlements may charge more than fits, up to this
local SMALL_DIVISOR = 140737488355328

-- Lua's own libraries are not available while this library is loaded; the first call fetches them.
local call, floor, max, min, byte, format, pack, unpack_bytes

local function fetch_libraries()
  call = redis.call
  floor, max, min = math.floor, math.max, math.min
  byte, format = string.byte, string.format
  pack, unpack_bytes = struct.pack, struct.unpack
end

-- Returns quotient and remainder of a * b / m, exactly, for a <= m <= 2^50, b < 2^53 and a quotient below 2^53. (In doubles, the
-- remainder of integers below 2^53 is exact.)
local function mul_div(a, b, m)
  local product = a * b
  if product < EXACT then
    local rest = product % m
    return (product - rest) / m, rest
  end
  local quotient, rest, place, base = 0, 0, 1, m < SMALL_DIVISOR and 32 or 4
  while place * base <= b do
    place = place * base
  end
  while place >= 1 do
    local digit = floor(b / place)
    b = b - digit * place
    local value = rest * base + a * digit
    rest = value % m
    quotient = quotient * base + (value - rest) / m
    place = place / base
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
  local free = room - d.keep
  return d.permits <= free and d.permits or d.at_least <= free and free or 0
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

-- Returns the TTL of a count that is as if unused after these microseconds: a second longer, for clocks that step back, and rounded
-- up by at most a 64th, so that few texts are needed.
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
  local step = 16
  while millis >= step * 128 do
    step = step * 2
  end
  return text_of(millis + (step - millis % step) % step)
end

-- The counts that may admit sooner than was said; nil if there are none.
local eased

local function ease(key)
  eased = eased or {}
  eased[key] = true
end
