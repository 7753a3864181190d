// What can stand at a place of a rule in YAML, from the JSON schema of rules.

/** Keys of the founding shape. They work, but nobody should begin with them. */
const FOUNDING = new Set(['dimensions', 'algorithm', 'rate', 'burst', 'capacity', 'max_wait', 'limit', 'window', 'align', 'zone', 'slices', 'weighted', 'ttl']);
const ATTRIBUTES = ['ip', 'user', 'tenant', 'app', 'plan', 'service', 'path', 'method', 'domain', 'key', 'header.', 'query.', 'claim.', 'json.', 'form.', 'descriptor.'];
const SAMPLES = {
  rate: ['10/s', '100/s', '60/m', '1000/h', '10000/d'], window: ['1s', '10s', '1m', '10m', '1h', '1d'], ttl: ['10s', '30s', '1m', '5m'], max_wait: ['100ms', '500ms', '1s', '5s'],
  deadline: ['10ms', '20ms', '50ms'], methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], zone: ['UTC', 'Europe/Berlin', 'Asia/Shanghai', 'America/New_York'],
};
const KEY_LINE = /^(\s*)((?:- +)*)(?:"([^"]*)"|'([^']*)'|([^\s#:{}[\],"'][^:{}[\],]*?))\s*:(?:\s|$)/;

function keyOf(line) {
  const found = KEY_LINE.exec(line);
  return found ? { name: found[3] ?? found[4] ?? found[5], dashes: dashColumns(found[1].length, found[2]), column: found[1].length + found[2].length, end: found[0].length } : null;
}

function dashColumns(from, dashes) {
  return [...dashes.matchAll(/-/g)].map((each) => from + each.index);
}

/** Returns the keys and lists that the lines above put around a column. */
function ancestors(lines, row, column, isItem) {
  const path = [];
  let limit = column;
  let mayEqual = isItem;
  for (let i = row - 1; i >= 0 && (limit > 0 || mayEqual); i--) {
    const line = lines[i];
    if (!line.trim() || line.trim().startsWith('#')) {
      continue;
    }
    const key = keyOf(line);
    const columns = key ? key.dashes : dashColumns(line.search(/\S/), /^\s*((?:- +|-$)*)/.exec(line)[1]);
    if (key && key.dashes.length === 0 && (key.column < limit || (mayEqual && key.column === limit))) {
      path.unshift(key.name);
      limit = key.column;
      mayEqual = false;
      continue;
    }
    if (key && key.column < limit) {
      path.unshift(key.name);
      limit = key.column;
    }
    [...columns].reverse().filter((at) => at < limit).forEach((at) => {
      path.unshift('[]');
      limit = at;
      mayEqual = true;
    });
  }
  return path;
}

/** Reads what is open between braces and brackets before the cursor. */
function flow(text) {
  const stack = [];
  let token = '';
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    const top = stack[stack.length - 1];
    if (quote) {
      quote = sign === quote ? '' : quote;
      token += sign;
    } else if ((sign === '"' || sign === "'") && !token.trim()) {
      quote = sign;
      token += sign;
    } else if (sign === '{' || sign === '[') {
      stack.push({ type: sign, keys: new Map(), key: null });
      token = '';
    } else if (sign === '}' || sign === ']') {
      stack.pop();
      token = '';
    } else if (sign === ',' && top) {
      if (top.key !== null) {
        top.keys.set(top.key, token.trim());
      }
      top.key = null;
      token = '';
    } else if (sign === ':' && top?.type === '{' && top.key === null && (i + 1 === text.length || text[i + 1] === ' ')) {
      top.key = token.trim().replace(/^["']|["']$/g, '');
      top.keys.set(top.key, '');
      token = '';
    } else {
      token += sign;
    }
  }
  return { stack, token: token.trimStart() };
}

/**
 * Returns where the cursor is: {path, isKey, token, siblings}. `path` has the keys around it, with [] for an item of a list; with a value,
 * its last part is the key of the value. `siblings` maps the keys beside it to their values.
 */
function placeOf(text, row, column) {
  const lines = text.split('\n');
  const line = lines[row] ?? '';
  const before = line.slice(0, column);
  const key = keyOf(before) ?? (keyOf(`${before} `) && before.endsWith(':') ? keyOf(`${before} `) : null);
  const lead = /^(\s*)((?:- *)*)/.exec(before);
  const dashes = key ? key.dashes : dashColumns(lead[1].length, lead[2]);
  const start = key ? key.column : lead[0].length;
  const outer = dashes.length > 0 ? dashes[0] : start;
  const path = [...ancestors(lines, row, outer, dashes.length > 0), ...dashes.map(() => '[]')];
  const rest = before.slice(key ? key.end : lead[0].length);
  const open = flow(rest);
  if (open.stack.length > 0) {
    if (key) {
      path.push(key.name);
    }
    open.stack.forEach((frame, i) => {
      if (frame.type === '[') {
        path.push('[]');
      } else if (frame.key !== null && (i < open.stack.length - 1 || frame.key !== null)) {
        path.push(frame.key);
      }
    });
    const top = open.stack[open.stack.length - 1];
    const siblings = new Map(top.keys);
    for (const [, name, value] of line.slice(column).split(/[}\]]/)[0].matchAll(/([\w.-]+)\s*:\s*([^,]*)/g)) {
      siblings.set(name, value.trim());
    }
    return { path, isKey: top.type === '{' && top.key === null, token: open.token, siblings };
  }
  if (key) {
    return { path: [...path, key.name], isKey: false, token: rest.trimStart(), siblings: new Map() };
  }
  const isListOfWords = dashes.length > 0;
  return { path, isKey: true, isItem: isListOfWords, token: rest, siblings: blockSiblings(lines, row, start) };
}

function blockSiblings(lines, row, column) {
  const siblings = new Map();
  const look = (step) => {
    for (let i = row + step; i >= 0 && i < lines.length; i += step) {
      if (!lines[i].trim() || lines[i].trim().startsWith('#')) {
        continue;
      }
      const key = keyOf(lines[i]);
      if (lines[i].search(/\S/) < column && !(key && key.column === column)) {
        return;
      }
      if (key && key.column === column) {
        siblings.set(key.name, lines[i].slice(key.end).trim());
        if (key.dashes.length > 0) {
          if (step > 0) {
            siblings.delete(key.name);
          }
          return;
        }
      }
    }
  };
  const own = lines[row];
  look(1);
  if (!/^\s*-/.test(own)) {
    look(-1);
  }
  return siblings;
}

function resolved(schema, node) {
  let found = node;
  while (found && found.$ref) {
    const { $ref, ...others } = found;
    found = { ...schema.$defs[$ref.replace('#/$defs/', '')], ...others };
  }
  return found ?? {};
}

function choices(schema, node) {
  const own = resolved(schema, node);
  return [own, ...(own.anyOf ?? []).flatMap((each) => choices(schema, each))];
}

function step(schema, node, part) {
  for (const each of choices(schema, node)) {
    const next = part === '[]' ? each.items : each.properties?.[part] ?? (typeof each.additionalProperties === 'object' ? each.additionalProperties : undefined);
    if (next && next !== true) {
      return next;
    }
  }
  return null;
}

/** Returns the keys that do not fit to the algorithm of a limit, or to its numbers if it names none. */
function excluded(schema, siblings) {
  const algorithm = siblings.get('algorithm') || (siblings.has('rate') ? 'token_bucket' : siblings.has('window') || siblings.has('slices') ? 'sliding_window' : '');
  const rule = (schema.$defs.parameters?.allOf ?? []).find((each) => each.if?.properties?.algorithm?.const === algorithm);
  return new Set(Object.entries(rule?.then?.properties ?? {}).filter(([, value]) => value === false).map(([name]) => name));
}

/**
 * Returns what can stand at the cursor: {token, isKey, items: [{text, insert, about}]}, those that begin with what was typed.
 */
export function complete(schema, text, row, column) {
  const place = placeOf(text, row, column);
  const token = place.token.replace(/^["']/, '');
  let node = schema.$defs.rule;
  for (const part of place.path) {
    node = node && step(schema, node, part);
  }
  const items = node ? (place.isKey ? keys(schema, node, place) : values(schema, node, place.path[place.path.length - 1], place)) : [];
  const wanted = token.toLowerCase();
  return { token: place.token, isKey: place.isKey, isChoice: items.some((item) => item.isChoice),
    items: items.filter((item) => item.text.toLowerCase().startsWith(wanted)) };
}

function keys(schema, node, place) {
  const all = choices(schema, node);
  if (place.path.length > 0 && ['match', 'when'].includes(place.path[place.path.length - 1])) {
    return ATTRIBUTES.filter((name) => !place.siblings.has(name)).map((name) => ({ text: name, insert: name.endsWith('.') ? name : `${name}: `, about: '' }));
  }
  const hidden = place.path.length === 0 ? FOUNDING : place.path[0] === 'limits' || place.path[0] === 'candidate' ? excluded(schema, place.siblings) : new Set();
  const found = new Map();
  all.forEach((each) => Object.entries(each.properties ?? {}).forEach(([name, value]) => {
    if (value !== false && !hidden.has(name) && !place.siblings.has(name)) {
      found.set(name, resolved(schema, value).description ?? '');
    }
  }));
  const items = [...found].map(([name, about]) => ({ text: name, insert: `${name}: `, about }));
  return place.isItem && items.length === 0 ? values(schema, node, place.path[place.path.length - 2], place) : items;
}

function values(schema, node, name, place) {
  const found = [];
  const key = name === '[]' ? place.path[place.path.length - 2] : name;
  choices(schema, node).forEach((each) => {
    (each.enum ?? []).forEach((value) => found.push({ text: String(value), insert: String(value), about: meaning(each.description, value), isChoice: true }));
    if (each.const !== undefined) {
      found.push({ text: String(each.const), insert: String(each.const), about: each.description ?? '', isChoice: true });
    }
    if (each.type === 'boolean') {
      ['true', 'false'].forEach((value) => found.push({ text: value, insert: value, about: each.description ?? '', isChoice: true }));
    }
  });
  if (['by', 'attribute', 'otherwise'].includes(key)) {
    ATTRIBUTES.forEach((value) => found.push({ text: value, insert: value, about: '', isChoice: true }));
  }
  (SAMPLES[key] ?? []).forEach((value) => found.push({ text: value, insert: value, about: '' }));
  return found;
}

/** Returns what a description says about one value: "deny: matching requests are refused at once." */
function meaning(description = '', value) {
  const found = new RegExp(`(?:^|\\. )${String(value)}(?: \\(default\\))?: ([^.]*\\.)`).exec(description);
  return found ? found[1] : description;
}
