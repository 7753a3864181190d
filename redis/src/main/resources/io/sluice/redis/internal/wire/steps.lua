-- Numbers the steps of counts, for a checker that replays what happened (see decide.lua, "recording").
--
-- State    tb, lb, fw and sw are preceded by a header: 193, since when the steps are numbered, the number of the last step that
--          wrote, and when the state itself expires, in 1, 7, 7, 7 bytes. A call that does not record reads the header and drops it
--          when it writes. The other counts have their numbers under a key of their own

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

-- Returns how long a value with a number is kept. It is not much longer than without a number, so that callers who vary keys do not
-- fill the store; but longer, so that the checker sees a state that expired before its time.
local function kept_millis(millis)
  return text_of(tonumber(millis) + RECORDED_MILLIS)
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

-- Returns a value without its header, since when its steps are numbered, and its last number; nil if the value has no header or its
-- state has expired.
local function unnumbered(value, now)
  if not value then
    return false, now, 0
  end
  if #value <= NUMBER_BYTES or byte(value) ~= NUMBERED then
    return nil
  end
  local _, begun, number, expires = unpack_bytes(NUMBER, value)
  if now >= expires then
    return nil
  end
  return string.sub(value, NUMBER_BYTES + 1), begun, number
end

-- An algorithm has these functions:
--   load(key, value, d, now)               returns the count as of now; c.at is the time that it uses. Returns nil if the
--                                          boundaries of the demand do not reach the present
--   grant(c, d, now)                       returns how much the demand would get; 0 means refused
--   verdict(c, d, grant, charged, now)     returns remaining, wait if granted or else retry, reset
--   charge(c, d, grant, now), refuse(c, d, now), give_back(c, d, now), renew(c, d, now)
--                                          leave in c.changed the demand that changed the count last
--   settle(c, d, more, charged_at, now, testing)
--                                          charges "more" permits even if they do not fit or, if negative, gives back as many of those
--                                          charged at that time; returns what was charged. leaky buckets and concurrency lack it
--   write(c, now, testing)                 is called at the end if c.changed is set
--   take(value, d, now)                    decides a charge in one go, if it is a common case: it fits now, time has not stepped
--                                          back, and nothing else is unusual. Returns remaining, reset, the new value and, if it
--                                          is not 0, the wait. In any other case returns nil, and the functions above decide. An
--                                          algorithm may lack it
-- The operations of a batch use the same count, one after the other.
local algorithms = {}
