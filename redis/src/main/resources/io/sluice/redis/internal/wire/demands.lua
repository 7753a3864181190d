-- Reads the texts of demands (see decide.lua, ARGV[4…]) and keeps the read ones.

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
  d.keep = kind ~= 'ls' and tonumber(words[kind == 'cc' and 10 or 9]) or 0
  d.needed = d.at_least + d.keep
  d.take = d.permits > 0 and d.algorithm.take
  if d.permits == 0 and d.keep > 0 then
    -- Passes where one permit that keeps one fewer would pass now, and is not charged.
    d.uncharged, d.permits, d.at_least, d.keep = true, 1, 1, d.keep - 1
    d.max_wait = kind == 'tb' and 0 or d.max_wait
  end
  return d
end

-- Caches parsed demands: the same few texts come again and again, and parsing one costs more than deciding it.
local known, known_size = {}, 0

local function demand_of(text)
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
  return d
end
