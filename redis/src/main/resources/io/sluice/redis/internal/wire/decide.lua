-- Runs operations in order, each all or nothing, in one step: charges, looks, returns charges, renews permits, grants and ends
-- leases, settles reservations. This is a library of functions, because Redis runs a script from its first line at every call, and
-- creating its functions anew costs more than a decision does.
--
-- Functions  sluice_one decides the most frequent call: one charge on one count. sluice_decide runs a plan. sluice_existing does the
--          same without creating keys
-- KEYS     the counts, each once. When recording, they are followed by the keys of the step numbers of those counts that cannot
--          hold them (logs, concurrency)
-- ARGV     of sluice_one: the demand as text and, for tests, the time in microseconds
-- ARGV[1]  of the others, the plan: the operations in bytes. Numbers have two bytes, the high one first. Each operation has a
--          letter, the number of its demands, and for each demand the index of its key in KEYS and the index of its text in
--          ARGV[2…], from 1. The letters are c (charge), l (look), b (give back), r (renew), g (grant a lease), e (end leases) and
--          s (settle). g and e have two demands: the count, and the records of its leases. s has two for each settlement: the
--          count, and the record of the settlement. No other operation has two demands on one count. Before the operations there
--          may be
--          T   the time in microseconds to decide by, as a double; without it TIME decides (the vectors bring their own time)
--          N   to number the steps of each count: the number of the trailing KEYS, and for each of them the index of the count
--              whose numbers that key holds
-- ARGV[2…] the demands as text, each once: kind, permits, at_least, max_wait, capacity, three more, the holder of cc, and, unless it is
--          0, how many permits must remain for others
--          kind      tb token bucket, lb leaky bucket, fw fixed window, sw sliding window, sl sliding log, cc concurrency,
--                    ls leases, st record of a settlement
--          permits   the permits wanted or, for b, to give back; 0 only requires that those for others remain, and charges nothing
--          at_least  the smallest useful grant
--          max_wait  in microseconds; for b, the time of the charge
--          capacity  the most that can ever be granted; 0 always refuses
--          three     tb: permits and microseconds of the rate          lb: the same, and the longest wait of the limit
--                    fw: length of a window; or 0 and the boundaries of the windows around the present, separated by commas
--                    sw: length of a slice, number of slices, 1 if weighted
--                    sl: window           cc: time to live
--                    ls: time to live; capacity is the most that may be out. Then follow the name of the lease, and for each
--                    lease to end its name and how much of it was spent
--                    st: how long after the charge it can be settled; permits is the real figure, at_least what was reserved, and
--                    max_wait the time of the charge
--
-- Reply    a string of little-endian doubles. First now, then the answers of the operations. Times are in microseconds; -1 means
--          never
--          c, l      five numbers for each demand: grant (0 means refused; 1 if a demand for 0 permits passes), remaining,
--                    wait if granted or else retry, reset, charged_at, which is negative if the demand was refused only because of
--                    what must remain for others. Or two, in the common case that everything was granted, without a wait, at "now":
--                    -3 - remaining, and reset
--          b, r      one number: 1 if a permit among them was still held, else 0
--          g         granted (0 means refused), 1 if too much is out already or else 0, remaining, wait if granted or else
--                    retry, reset, charged_at, and in how long the lease ends; then the same as for e
--          e         for each ended lease, how much was unspent
--          s         for each settlement, 1 if the count was changed, 2 if that was done before, 3 if that was done before with
--                    another figure, 4 if it is too old; and what was charged, negative if permits were given back
--          recording then two numbers for each demand: since when its count is numbered, and the number of its step. A step that
--                    wrote nothing has -1 - n, where n is the number of the last step that did. With "since" 0, n is 0 if there
--                    is no count, and 1 if there is one that was never numbered. For g and e, one pair for each ended lease and,
--                    for g, one for the grant; for s, one for each settlement, which is 0 and 0 unless it was settled
--          -1 alone  nothing was done for the operation, because its boundaries do not reach the server's time: ask again with
--                    others
--          -2 alone  nothing was done for the operation, because it needs a new key and none may be created
-- State    see the file of each algorithm
-- Publish  an empty message on the channel named like a count when the count may admit sooner than was said, for processes that
--          cache refusals. That happens when permits were returned, or when the count now has a faster rate. There are no
--          messages for concurrency, because its refusals are never cached
-- TTL      set with every write: the time until the count is as if unused, plus a second for clocks that step back, and rounded up
--          by at most a 64th. An expired
--          count and one that has aged to nothing give the same answers, even at another rate, because a count ages at the rate
--          with which it was written. So the TTL carries no state. Step numbers stay ten seconds longer than their count; a state with
--          a header still counts as expired when its own time is over
-- Cost     TIME; one GET or MGET for all counts; one SET for each count that changes, however many operations change it; for a log
--          one LRANGE and two to four writes; one PTTL and SET more for a recorded log or concurrency limit; one PUBLISH for each
--          count with returned permits
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

local function value_of(key)
  local value = redis.pcall('GET', key)
  if type(value) == 'table' then
    -- A key that is not a string may be a log. Any other error is raised: an unreadable count must not pass for an unused one.
    if string.sub(value.err, 1, 9) ~= 'WRONGTYPE' then
      error(value.err)
    end
    return false
  end
  return value
end

local function values_of(keys)
  local size = #keys
  if size == 0 then
    return {}
  end
  if size == 1 then
    return {value_of(keys[1])}
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

-- The state of the running call; only one call runs at a time. values[k] is what is stored for a count or, if unwritten[k] is its time
-- until reset, what is to be stored. counts[k] is the count as its algorithm sees it, once an operation was not a common case.
local keys, size, values, steps, apart, now, testing, existing, replies

-- Reused by each call as far as needed, because creating tables is expensive.
local demanded, these, wanted, places, grants, wrote, counts, unwritten, reply = {}, {}, {}, {}, {}, {}, {}, {}, {}

local function answer(number)
  replies = replies + 1
  reply[replies] = number
end

local function answer_two(first, second)
  local n = replies
  reply[n + 1], reply[n + 2] = first, second
  replies = n + 2
end

local function answer_demand(grant, remaining, left, reset, charged_at)
  local n = replies
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4], reply[n + 5] = grant, remaining, left, reset, charged_at
  replies = n + 5
end

-- Answers a demand that a common case has granted.
local function answer_taken(d, room, reset, wait)
  if wait then
    answer_demand(d.permits, room, wait, reset, now)
  else
    local n = replies
    reply[n + 1], reply[n + 2], replies = COMMON - room, reset, n + 2
  end
end

local formats = {}

local function packed_numbers(from, to)
  local n = to - from + 1
  local doubles = formats[n]
  if not doubles then
    doubles = '<' .. string.rep('d', n)
    formats[n] = doubles
  end
  return pack(doubles, unpack(reply, from, to))
end

local function packed_reply()
  if replies <= PACKED_AT_ONCE then
    return packed_numbers(1, replies)
  end
  local parts = {}
  for from = 1, replies, PACKED_AT_ONCE do
    parts[#parts + 1] = packed_numbers(from, min(replies, from + PACKED_AT_ONCE - 1))
  end
  return table.concat(parts)
end

-- Writes what an operation has left in values[k].
local function write_value(k)
  local millis = ttl_millis(unwritten[k], testing)
  call('SET', keys[k], values[k], 'PX', recording and kept_millis(millis) or millis)
  unwritten[k] = false
end

-- Returns a state with the number of its step in front.
local function numbered_value(begun, number, state, reset)
  return pack(NUMBER, NUMBERED, begun, number, expires_at(now, ttl_millis(reset, testing))) .. state
end

-- Reads the counts of an operation. Returns the reply code of what keeps it from being decided, if anything; see Reply.
local function read_ask(plan, place, n, charges)
  local hindrance
  for i = 1, n do
    local k1, k2, d1, d2 = byte(plan, place, place + 3)
    local k, d = k1 * 256 + k2, demanded[d1 * 256 + d2]
    place = place + 4
    local c = counts[k]
    if existing and charges and not d.uncharged and not values[k] and call('EXISTS', keys[k]) == 0 then
      hindrance = NO_MEMORY
    end
    if unwritten[k] then
      write_value(k)
    end
    if not c or c.stale then
      c = d.algorithm.load(keys[k], values[k], d, now)
      counts[k] = c
      if not c then
        hindrance = hindrance or OUTSIDE
      end
    end
    these[i], wanted[i], places[i] = c, d, k
  end
  return hindrance
end

-- What the demands of a charge would leave behind, while it is not known whether all of them fit.
local taken, resets, states, begins, lasts = {}, {}, {}, {}, {}

-- Decides a charge if each of its demands is a common case. Otherwise returns false, and has done nothing.
local function take_all(plan, place, n)
  local answered = replies
  for i = 1, n do
    local k1, k2, d1, d2 = byte(plan, place, place + 3)
    local k, d = k1 * 256 + k2, demanded[d1 * 256 + d2]
    local take, value = d.take, values[k]
    if not take or counts[k] then
      replies = answered
      return false
    end
    if recording then
      value, begins[i], lasts[i] = unnumbered(value, now)
    end
    local room, reset, state, wait
    if value ~= nil then
      room, reset, state, wait = take(value, d, now)
    end
    if not room then
      replies = answered
      return false
    end
    answer_taken(d, room, reset, wait)
    taken[i], resets[i], states[i] = k, reset, state
    place = place + 4
  end
  for i = 1, n do
    local k, reset, state = taken[i], resets[i], states[i]
    if recording then
      lasts[i] = lasts[i] + 1
      state = numbered_value(begins[i], lasts[i], state, reset)
      answer_two(begins[i], lasts[i])
    end
    values[k], unwritten[k] = state, reset
  end
  return true
end

-- Returns whether a demand was refused only because of what it keeps for others.
local function is_kept(c, d, grant)
  return grant == 0 and d.keep > 0 and d.algorithm.grant(c, setmetatable({keep = 0}, {__index = d}), now) > 0
end

local function decide_ask(n, charges)
  local fit = all_fit(these, wanted, grants, n, now)
  for i = 1, n do
    local c, d, grant = these[i], wanted[i], grants[i]
    local algorithm = d.algorithm
    local kept = is_kept(c, d, grant)
    local charged = fit and charges and not d.uncharged
    local remaining, left, reset = algorithm.verdict(c, d, grant, charged, now)
    answer_demand(grant, remaining, left, reset, kept and -c.at or c.at)
    wrote[i] = charged or charges and c.rebased
    if charged then
      algorithm.charge(c, d, grant, now, testing)
    elseif charges then
      algorithm.refuse(c, d, now, testing)
    end
  end
end

-- Settles reservations. Each has two demands: the count, and the record of the settlement.
local function settle_all(n)
  for i = 1, n, 2 do
    local k, d = places[i], wanted[i]
    local c = counts[k]
    if c.stale then
      c = d.algorithm.load(keys[k], values[k], d, now)
      counts[k] = c
    end
    local how, change = settle_once(these[i + 1], wanted[i + 1], c, d, now, testing)
    answer_two(how, change)
    grants[i], wrote[i] = how, how == SETTLED and wanted[i + 1].permits ~= wanted[i + 1].at_least
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
  answer(was_held and 1 or 0)
end

local function answer_all(numbers)
  for i = 1, #numbers do
    answer(numbers[i])
  end
end

-- Returns the same demand for another number of permits and, for permits to give back, the time of their charge.
local function for_permits_of(d, permits, charged_at)
  return setmetatable({permits = permits, max_wait = charged_at}, {__index = d})
end

-- Returns the permits of ended leases that were unspent, as far as the leases are known and still count. They go back to the count.
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
    unspent[i] = left
  end
  return unspent
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
  answer_two(charged and grant or 0, most > 0 and 0 or 1)
  answer_demand(remaining, most > 0 and left or 0, reset, charged_at, ends - now)
  answer_all(unspent)
end

-- Numbers a step of a count, for checking a history later, and answers since when: a numbering that starts anew has another
-- "since". Counts that cannot hold the numbers have them under their own key, and there every step has one.
local function number(k, c, writes)
  local key = apart[k]
  if not key then
    answer_two(step_of(c, writes, now))
    return
  end
  local last = steps[k] or values[key]
  local since, n = now, 0
  if last and #last == APART_BYTES then
    since, n = unpack_bytes('<dd', last)
  end
  steps[k] = pack('<dd', since, n + 1)
  answer_two(since, n + 1)
end

local function number_steps(purpose, n)
  if purpose == GRANT or purpose == END then
    for _ = 1, #wanted[2].ended do
      number(places[1], these[1], true)
    end
    n = purpose == GRANT and 1 or 0
  end
  for i = 1, n, purpose == SETTLE and 2 or 1 do
    if purpose == SETTLE and grants[i] ~= SETTLED then
      answer_two(0, 0)
    else
      number(places[i], counts[places[i]], wrote[i])
    end
  end
end

local function write_numbers()
  for k, step in pairs(steps) do
    -- The count has been written, and may be gone. Its number must outlive it.
    call('SET', keys[apart[k]], step, 'PX', format('%d', max(0, call('PTTL', keys[k])) + RECORDED_MILLIS))
  end
end

local function decide_operation(purpose, plan, from, n)
  local charges = purpose == CHARGE
  if charges and not existing and take_all(plan, from, n) then
    return
  end
  local hindrance = read_ask(plan, from, n, charges or purpose == GRANT or purpose == SETTLE)
  if hindrance then
    answer(hindrance)
    return
  end
  if purpose == GRANT then
    grant_lease()
  elseif purpose == END then
    answer_all(end_leases())
  elseif charges or purpose == LOOK then
    decide_ask(n, charges)
  elseif purpose == SETTLE then
    settle_all(n)
  else
    change_charges(purpose, n)
  end
  if recording then
    number_steps(purpose, n)
  end
end

-- Decides a charge with one demand if that is a common case. Otherwise returns false, and has done nothing.
local function take_one(k, d)
  local take = d.take
  if not take or recording or existing or counts[k] then
    return false
  end
  local room, reset, state, wait = take(values[k], d, now)
  if not room then
    return false
  end
  values[k], unwritten[k] = state, reset
  answer_taken(d, room, reset, wait)
  return true
end

local function decide_operations(plan, place)
  local length = #plan
  while place < length do
    local purpose, high, low, k1, k2, d1, d2 = byte(plan, place, place + 6)
    local n = high * 256 + low
    if n ~= 1 or purpose ~= CHARGE or not take_one(k1 * 256 + k2, demanded[d1 * 256 + d2]) then
      decide_operation(purpose, plan, place + 3, n)
    end
    place = place + 3 + 4 * n
  end
end

local function write_counts()
  for k = 1, size do
    local c = counts[k]
    if unwritten[k] then
      write_value(k)
    elseif c and c.changed then
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

-- Reads what comes before the operations of a plan, and returns where they start.
local function read_head(plan)
  local place, time = 1, nil
  testing, recording, apart, size = false, false, nil, #keys
  if byte(plan, place) == TIME then
    testing, place, time = true, place + 9, unpack_bytes('<d', plan, place + 1)
  end
  if byte(plan, place) == NUMBERING then
    recording, apart = true, {}
    local high, low = byte(plan, place + 1, place + 2)
    local trailing = high * 256 + low
    size, place = size - trailing, place + 3
    for i = 1, trailing do
      high, low = byte(plan, place, place + 1)
      apart[high * 256 + low], place = size + i, place + 2
    end
  end
  return place, time
end

local function server_time()
  local time = call('TIME')
  return time[1] * 1000000 + time[2]
end

local function begin(given, stored)
  keys, values, steps, replies, eased, buckets_used = given, stored, recording and {}, 0, nil, 0
  for k = 1, size do
    counts[k], unwritten[k] = nil, false
  end
  answer(now)
end

local function decide_all(given, args, only_existing)
  if not call then
    fetch_libraries()
  end
  local plan = args[1]
  keys, existing = given, only_existing
  local place, time = read_head(plan)
  now = time or server_time()
  begin(given, values_of(given))
  for i = 2, #args do
    demanded[i - 1] = demand_of(args[i])
  end
  decide_operations(plan, place)
  write_counts()
  if recording then
    write_numbers()
  end
  return packed_reply()
end

-- The plan of one charge with one demand.
local ONE = 'c\0\1\0\1\0\1'

local function decide_one(given, args)
  if not call then
    fetch_libraries()
  end
  local d, key = demand_of(args[1]), given[1]
  now = args[2] and tonumber(args[2]) or server_time()
  local value, take = value_of(key), d.take
  if take then
    local room, reset, state, wait = take(value, d, now)
    if room then
      call('SET', key, state, 'PX', ttl_millis(reset, args[2]))
      return wait and pack('<dddddd', now, d.permits, room, wait, reset, now) or pack('<ddd', now, COMMON - room, reset)
    end
  end
  testing, recording, apart, size, existing, demanded[1] = args[2] ~= nil, false, nil, 1, false, d
  begin(given, {value})
  decide_operations(ONE, 1)
  write_counts()
  return packed_reply()
end

-- When its memory is full, Redis refuses to run the first two functions (and on a replica all) before anything is done. Then the
-- third one can still run, because it creates no key.
redis.register_function{
  function_name = 'sluice_one',
  callback = decide_one,
  flags = {},
}
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
