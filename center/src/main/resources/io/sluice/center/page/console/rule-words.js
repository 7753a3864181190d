// Says in words what a rule does: "each phone number: 1 per minute, 5 per hour, 10 per day".
import { language } from '/assets/texts.js';
import { number, moment } from '/assets/console/format.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    all: 'all callers together', each: 'each {what}', and: '{a} and {b}', orElse: '{a}, else {b}',
    ip: 'address', user: 'user', tenant: 'tenant', app: 'application', plan: 'plan', domain: 'domain', service: 'service', path: 'path',
    method: 'method', key: 'key', phone: 'phone number', mail: 'mail address', card: 'card', country: 'country', device: 'device',
    session: 'session', account: 'account', host: 'host', of_header: 'value of header {name}', of_query: 'value of parameter {name}',
    of_claim: 'value of claim {name}', of_json: 'value of field {name}', of_form: 'value of form field {name}',
    of_descriptor: 'value of descriptor {name}', of_other: 'value of {name}',
    us: 'µs', ms: 'ms', s: 'second', m: 'minute', h: 'hour', d: 'day', ss: 'seconds', mm: 'minutes', hh: 'hours', dd: 'days',
    per: '{n} per {time}', calendar: '{n} per calendar {time}', day: 'day', week: 'week', month: 'month', year: 'year', burst: 'up to {n} at once',
    waits: 'waits up to {time}', even: 'evenly spaced', queue: 'at most {n} wait', fixed: 'fixed window', weighted: 'estimated', exact: 'exact',
    flight: '{n} at the same time', ttl: 'each for at most {time}', none: 'none', join: ', ', more: ' ({text})', colon: '{key}: {limits}',
    everything: 'Every request', of: '{a} of {service}', where: '{a} where {conditions}', is: '{name} is {value}',     answers: 'Answers with status {value}', envoy: 'Envoy descriptors {path} of domain {domain}', requestsOf: 'Requests of {service}',
    requestsWhere: 'Requests where {conditions}', andMore: '{a} and {n} more', also: ' and ',
    deny: 'refused at once', exempt: 'pass every limit', denyLine: 'They are refused at once.', exemptLine: 'They pass every limit.',
    absent_ip: 'Without {what}, the address counts instead.', absent_share: 'Requests without {what} share one count.',
    absent_skip: 'Requests without {what} are not limited by this.', absent_refuse: 'Requests without {what} are refused.',
    hash: 'The store sees a keyed hash of the {what}, never the value.', override: 'If {conditions}: {limits}', until: '{text}, until {time}',
    overrides: '… and {n} more overrides.', candidate: 'On trial beside it, refusing nothing: {text}',
    shadow: 'It is in shadow: it counts and reports, and refuses nothing.', disabled: 'It is disabled and applies to nothing.',
    code: 'It applies only where code, a route or a client names it.', early: 'It is decided before the caller is authenticated.',
    mode_local: 'Each process counts for itself.', mode_local_distributed: 'Processes take permits in advance from the shared store.',
    mode_distributed: 'Every decision is made in the shared store.',
    fail_local: 'Without the store, each process enforces {share} of the limit.', itsShare: 'its share', fail_open: 'Without the store, every request passes.',
    fail_closed: 'Without the store, every request is refused.', deadline: 'The store may take {time}.',
    guard: 'A process asks the store for at most {n} times the limit at once.', message: 'A refused caller reads: “{text}”',
    cost: 'each costs {what}', settled: 'each costs {what}, then what {answer} says', reported: 'charged in any case',
    durable: 'survives the loss of Redis', keep: 'leaves {n} for others',
    protectedRule: 'A change of it needs the approval of a second person.', tenantOf: 'It belongs to the tenant {name}.',
  },
  zh: {
    all: '所有调用方合计', each: '每个{what}', and: '{a}与{b}', orElse: '{a}（缺少时按{b}）',
    ip: ' IP 地址', user: '用户', tenant: '租户', app: '应用', plan: '套餐', domain: '域', service: '服务', path: '路径',
    method: '请求方法', key: '键', phone: '手机号', mail: '邮箱', card: '银行卡', country: '国家', device: '设备',
    session: '会话', account: '账号', host: '主机', of_header: '请求头 {name} 的值', of_query: '参数 {name} 的值',
    of_claim: '声明 {name} 的值', of_json: '字段 {name} 的值', of_form: '表单字段 {name} 的值',
    of_descriptor: '描述符 {name} 的值', of_other: ' {name} 的值',
    us: '微秒', ms: '毫秒', s: '秒', m: '分钟', h: '小时', d: '天', ss: '秒', mm: '分钟', hh: '小时', dd: '天',
    per: '每{time} {n} 次', calendar: '每个自然{time} {n} 次', day: '日', week: '周', month: '月', year: '年', burst: '瞬时最多 {n} 次',
    waits: '最长等待 {time}', even: '匀速', queue: '最多 {n} 个排队', fixed: '固定窗口', weighted: '估算', exact: '精确',
    flight: '同时最多 {n} 个', ttl: '每个最长 {time}', none: '一律拒绝', join: '，', more: '（{text}）', colon: '{key}：{limits}',
    everything: '所有请求', of: '{service} 的 {a}', where: '{a}，且 {conditions}', is: '{name} 为 {value}',     answers: '状态为 {value} 的响应', envoy: '域 {domain} 的 Envoy 描述符 {path}', requestsOf: '{service} 的所有请求',
    requestsWhere: '{conditions} 的请求', andMore: '{a} 等 {n} 项', also: ' 且 ',
    deny: '直接拒绝', exempt: '不受任何限制', denyLine: '这些请求会被直接拒绝。', exemptLine: '这些请求不受任何限制。',
    absent_ip: '没有{what}时，改按 IP 地址计数。', absent_share: '没有{what}的请求共用一个计数。',
    absent_skip: '没有{what}的请求不受此限制。', absent_refuse: '没有{what}的请求会被拒绝。',
    hash: '存储只能看到{what}的带密钥哈希，看不到原值。', override: '当 {conditions}：{limits}', until: '{text}，截至 {time}',
    overrides: '……另有 {n} 条例外。', candidate: '同时试用、但不拒绝任何请求：{text}',
    shadow: '处于影子模式：只计数和上报，不拒绝任何请求。', disabled: '已停用，不对任何请求生效。',
    code: '仅在代码、路由或客户端指名时生效。', early: '在验证调用方身份之前判定。',
    mode_local: '每个进程各自计数。', mode_local_distributed: '各进程预先从共享存储领取配额。',
    mode_distributed: '每次判定都在共享存储中完成。',
    fail_local: '存储不可用时，每个进程执行限额的{share}。', itsShare: '相应份额', fail_open: '存储不可用时，放行所有请求。',
    fail_closed: '存储不可用时，拒绝所有请求。', deadline: '等待存储的时限为 {time}。',
    guard: '单个进程同时向存储申请的配额不超过限额的 {n} 倍。', message: '被拒绝的调用方会看到：“{text}”',
    cost: '每次按 {what} 计', settled: '每次先按 {what} 计，再按 {answer} 结算', reported: '一律计入',
    durable: 'Redis 丢失后仍保留', keep: '为其他请求保留 {n}',
    protectedRule: '修改它需要第二个人批准。', tenantOf: '属于租户 {name}。',
  },
});

const PLAIN = new Set(['ip', 'user', 'tenant', 'app', 'plan', 'domain', 'service', 'path', 'method', 'key']);
const SPOKEN = [
  ['phone', /phone|mobile|msisdn/], ['mail', /e?mail/], ['card', /card/], ['country', /country/], ['device', /device/],
  ['session', /session/], ['account', /account/], ['host', /^host$/], ['tenant', /^tenant([_-]?id)?$/], ['user', /^(x-)?user([_-]?id)?$/],
  ['ip', /^(x-)?(real-)?ip$/],
];
const MOST_OVERRIDES = 4;
const MOST_VALUES = 3;

function list(value) {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

/** Returns what an attribute is, such as "phone number" for header.x-phone. */
export function attributeWords(attribute) {
  const name = String(attribute);
  if (PLAIN.has(name)) {
    return t(name).trim();
  }
  const dot = name.indexOf('.');
  const kind = dot < 0 ? '' : name.slice(0, dot);
  const rest = dot < 0 ? name : name.slice(dot + 1);
  const spoken = SPOKEN.find(([, pattern]) => pattern.test(rest.toLowerCase()));
  if (spoken) {
    return t(spoken[0]).trim();
  }
  return t(['header', 'query', 'claim', 'json', 'form', 'descriptor'].includes(kind) ? `of_${kind}` : 'of_other', { name: rest }).trim();
}

function withFallback(a, b) {
  return b && b !== a ? t('orElse', { a, b }) : a;
}

function whose(by) {
  const parts = list(by).map((each) => (each !== null && typeof each === 'object'
    ? withFallback(attributeWords(each.attribute), each.otherwise && attributeWords(each.otherwise))
    : attributeWords(each)));
  return parts.length === 0 ? '' : parts.reduce((a, b) => t('and', { a, b }));
}

/** Returns whose count it is: "each phone number", "all callers together". */
export function keyWords(by) {
  const what = whose(by);
  return what ? t('each', { what: language.value === 'zh' && /^[A-Za-z]/.test(what) ? ` ${what}` : what }) : t('all');
}

function duration(text) {
  const found = /^0*(\d+)(us|ms|s|m|h|d)$/.exec(String(text));
  return found ? { n: Number(found[1]), unit: found[2] } : null;
}

/** Returns a duration: "30 seconds", "30 秒". */
function spanWords(text) {
  const found = duration(text);
  if (!found) {
    return String(text);
  }
  const plural = found.n === 1 || found.unit.length > 1 ? found.unit : found.unit + found.unit;
  return `${number(found.n)} ${t(plural)}`;
}

/** Returns a duration after "per": "minute", "10 minutes". */
function perTime(text) {
  const found = duration(text);
  if (!found) {
    return String(text);
  }
  const spaced = language.value === 'zh' ? ` ${spanWords(text)}` : spanWords(text);
  return found.n === 1 && found.unit.length === 1 ? t(found.unit) : spaced;
}

function rateWords(rate) {
  const found = /^(\d+)(?:\/(.+))?$/.exec(String(rate));
  if (!found) {
    return String(rate);
  }
  const unit = found[2] ?? 's';
  return t('per', { n: number(Number(found[1])), time: perTime(/^\d/.test(unit) ? unit : `1${unit}`) });
}

function isNothing(limit) {
  return limit.limit === 0 || /^0+(\/|$)/.test(String(limit.rate ?? ''));
}

/** Returns the numbers of a limit: "10 per second (up to 20 at once)". */
export function limitWords(limit) {
  if (isNothing(limit)) {
    return t('none');
  }
  const algorithm = limit.algorithm ?? (limit.rate !== undefined ? 'token_bucket' : 'sliding_window');
  const more = [];
  let text;
  const n = number(Number(limit.limit ?? 0));
  if (algorithm === 'concurrency') {
    text = t('flight', { n });
    if (limit.ttl) {
      more.push(t('ttl', { time: spanWords(limit.ttl) }));
    }
  } else if (limit.rate !== undefined) {
    text = rateWords(limit.rate);
    if (algorithm === 'leaky_bucket') {
      more.push(t('even'));
    }
    if (limit.burst !== undefined) {
      more.push(t('burst', { n: number(limit.burst) }));
    }
    if (limit.capacity !== undefined) {
      more.push(t('queue', { n: number(limit.capacity) }));
    }
    if (limit.max_wait && !/^0s?$/.test(String(limit.max_wait))) {
      more.push(t('waits', { time: spanWords(limit.max_wait) }));
    }
  } else if (limit.align) {
    text = t('calendar', { n, time: t(limit.align) });
    if (limit.zone) {
      more.push(limit.zone);
    }
  } else {
    text = limit.window ? t('per', { n, time: perTime(limit.window) }) : n;
    if (algorithm === 'fixed_window') {
      more.push(t('fixed'));
    } else if (algorithm === 'sliding_log') {
      more.push(t('exact'));
    } else if (limit.weighted) {
      more.push(t('weighted'));
    }
  }
  if (limit.cost) {
    const { charge, reserve, settle } = limit.cost;
    more.push(charge ? t('reported') : t(settle ? 'settled' : 'cost', { what: reserve, answer: settle }));
  }
  if (limit.durable) {
    more.push(t('durable'));
  }
  if (limit.keep !== undefined) {
    more.push(t('keep', { n: limit.keep }));
  }
  return more.length > 0 ? text + t('more', { text: more.join(t('join')) }) : text;
}

function grouped(limits) {
  const groups = new Map();
  list(limits).forEach((limit) => {
    const key = keyWords(limit.by);
    groups.set(key, [...(groups.get(key) ?? []), limit]);
  });
  return [...groups];
}

function sentence(text) {
  return language.value === 'zh' ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

function limitLine([key, limits]) {
  return t('colon', { key, limits: limits.map(limitWords).join(t('join')) });
}

/** Returns what a request may lack: "a phone number", "an address". */
function lacking(by) {
  const what = whose(list(by).map((each) => (each !== null && typeof each === 'object' ? each.attribute : each)));
  return language.value === 'zh' ? (/^[A-Za-z]/.test(what) ? ` ${what}` : what) : `${/^[aeio]/.test(what) ? 'an' : 'a'} ${what}`;
}

function conditions(match) {
  return Object.entries(match ?? {}).map(([name, value]) => {
    const values = list(value).map(String);
    const shown = values.slice(0, MOST_VALUES).join(', ');
    return t('is', { name, value: values.length > MOST_VALUES
      ? t('andMore', { a: shown, n: language.value === 'zh' ? values.length : values.length - MOST_VALUES }) : shown });
  }).join(t('also'));
}

/** Returns which requests a rule is for: "POST /sms/send of message-service". */
export function scopeWords(rule) {
  if (rule.envoy) {
    const path = list(rule.envoy.path).map((each) => (each.value === undefined ? each.key : `${each.key}=${each.value}`)).join(' › ');
    return t('envoy', { domain: rule.envoy.domain, path });
  }
  const { 'answer.status': status, ...match } = rule.match ?? {};
  const path = [list(rule.methods).map((each) => String(each).toUpperCase()).join(', '), rule.resource ?? ''].filter(Boolean).join(' ');
  let text = status !== undefined ? t('answers', { value: list(status).join(', ') }) : path;
  if (rule.service) {
    text = text ? t('of', { a: text, service: rule.service }) : t('requestsOf', { service: rule.service });
  }
  const which = conditions(match);
  if (which) {
    text = text ? t('where', { a: text, conditions: which }) : t('requestsWhere', { conditions: which });
  }
  return text || t('everything');
}

/** Returns what a rule limits, in one line for a list. */
export function ruleShort(rule) {
  if (rule.action === 'deny' || rule.action === 'exempt') {
    return sentence(t(rule.action));
  }
  return sentence(grouped(rule.limits).map(limitLine).join(language.value === 'zh' ? '；' : '; '));
}

function numbersOf(override, rule) {
  const limits = list(rule.limits);
  const target = override.of === undefined ? limits[0]
    : limits.find((limit, i) => limit.id === override.of || (limit.id === undefined && i === Number(override.of)));
  const { when, of, until, ...numbers } = override;
  const merged = { ...target, ...numbers };
  // The center names all numbers of an override, also those that are usual.
  if (/^0s?$/.test(String(merged.max_wait ?? ''))) {
    delete merged.max_wait;
  }
  return merged;
}

/**
 * Returns everything that a rule does, as lines of {kind, text}. Kinds: scope, limit (what counts), more (further conditions) and note
 * (what to keep in mind).
 */
export function ruleLines(rule) {
  const lines = [{ kind: 'scope', text: scopeWords(rule) }];
  const add = (kind, text) => lines.push({ kind, text });
  const limits = list(rule.limits);
  if (rule.enabled === false) {
    add('note', t('disabled'));
  }
  if (rule.action === 'deny' || rule.action === 'exempt') {
    add('limit', t(`${rule.action}Line`));
  }
  if (rule.for === 'code' || rule.for === 'early') {
    add('more', t(rule.for));
  }
  grouped(limits).forEach((group) => add('limit', sentence(limitLine(group))));
  list(rule.overrides).slice(0, MOST_OVERRIDES).forEach((override) => {
    const text = t('override', { conditions: conditions(override.when), limits: limitWords(numbersOf(override, rule)) });
    add('more', override.until ? t('until', { text, time: moment(override.until) }) : text);
  });
  if (list(rule.overrides).length > MOST_OVERRIDES) {
    add('more', t('overrides', { n: number(rule.overrides.length - MOST_OVERRIDES) }));
  }
  grouped(rule.candidate).forEach((group) => add('more', t('candidate', { text: limitLine(group) })));
  const told = new Set();
  limits.forEach((limit) => {
    const what = whose(limit.by);
    if (!what) {
      return;
    }
    const absent = limit.absent ?? 'ip';
    if (absent !== 'ip' || !list(limit.by).includes('ip')) {
      told.add(t(`absent_${absent}`, { what: lacking(limit.by) }));
    }
    if (limit.privacy === 'hash') {
      told.add(t('hash', { what }));
    }
  });
  told.forEach((text) => add('more', text));
  if (rule.shadow) {
    add('note', t('shadow'));
  }
  if (limits.length > 0) {
    add('more', t(`mode_${rule.mode ?? 'distributed'}`));
    if (rule.mode !== 'local') {
      const failure = rule.on_failure ?? 'local';
      add('more', t(`fail_${failure}`, { share: rule.local_share === undefined ? t('itsShare') : `${rule.local_share * 100} %` }));
    }
    if (rule.deadline) {
      add('more', t('deadline', { time: spanWords(rule.deadline) }));
    }
    if (rule.guard !== undefined && rule.guard !== 'off') {
      add('more', t('guard', { n: rule.guard }));
    }
  }
  if (rule.message) {
    const texts = typeof rule.message === 'object' ? rule.message : {};
    add('more', t('message', { text: typeof rule.message === 'object' ? texts[language.value] ?? Object.values(texts)[0] : rule.message }));
  }
  if (rule.tenant) {
    add('more', t('tenantOf', { name: rule.tenant }));
  }
  if (rule.protected) {
    add('note', t('protectedRule'));
  }
  return lines;
}
