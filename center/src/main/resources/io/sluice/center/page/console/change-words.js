// What a change does to rules. The center says it in English sentences; this says the same in the language of the page.
import { language } from '/assets/texts.js';

const AMOUNT = '(?:\\d+ per [^→]+?|[\\d.]+/\\S+(?:, [^→]+?)?|\\d+ at once, [^→]+?)';
const LIMIT = '(candidate )?limit(?: by (\\S+(?:, \\S+)*?)| (\\S+))??';
const PERIODS = { minute: '分钟', hour: '小时', day: '天', week: '周', month: '月', year: '年' };
const VALUES = { none: '无', nothing: '无', any: '任意', always: '永久', off: '关闭', auto: '自动', 'by nodes': '按节点数', true: '是', false: '否' };

const KEYS = {
  for: '用于', action: '动作', service: '服务', resource: '资源', methods: '方法', envoy: 'Envoy 描述符', mode: '模式', 'lease size': '租约大小', 'lease share': '租约份额',
  'lease ttl': '租约时长', on_failure: '存储不可用时', local_share: '本地份额', deadline: '期限', guard: '防护', name: '名称', tenant: '租户', message: '提示',
  rate: '速率', burst: '突发', max_wait: '最长等待', capacity: '排队', limit: '数值', ttl: '时长', weighted: '加权', id: '标识', algorithm: '算法', by: '按', window: '窗口', slices: '分片',
  privacy: '隐私', absent: '缺少属性时', unread: '无法读取时', reserve: '预留', default: '默认', settle: '结算依据', within: '结算期限', charge: '计入', 'otherwise by': '否则按',
};

const WHOLE = {
  removed: '删除', changed: '修改', 'now enabled': '启用', 'now disabled': '停用', 'now in shadow, refuses no requests': '转为影子，不再拒绝请求',
  'no longer in shadow, refuses requests': '不再是影子，开始拒绝请求', 'now protected': '受保护', 'no longer protected': '不再受保护', 'refuses nothing': '不拒绝任何请求',
  'exempts requests from protected rules': '使请求免于受保护规则的限制', 'all rules, also protected ones, refuse nothing': '所有规则（包括受保护的）都不拒绝任何请求',
  'the order of rules changed': '规则的顺序改变', 'the order of limits changed': '限额的顺序改变', 'the order of candidates changed': '候选限额的顺序改变',
  'the order of overrides changed (the first that matches applies)': '例外的顺序改变（第一个匹配的生效）', 'the same rules': '规则相同',
  'it refuses nothing, so only its reports start anew': '它不拒绝任何请求，因此只是统计重新开始',
  'the old limit refused nothing, so only the new one matters': '旧限额没有拒绝过请求，因此只有新限额起作用',
  'the new limit lets nothing pass, so nothing more can be used': '新限额不放行任何请求，因此不会多用',
  'the old limit let nothing pass, so only the new one can be used': '旧限额不放行任何请求，因此只能使用新限额',
};

const value = (text) => VALUES[text] ?? text.replace(/^(minute|hour|day|week|month|year) in (\S+)$/, (all, period, place) => `自然${PERIODS[period]}（${place}）`);

function amount(text) {
  return text
    .replace(/^(\d+) per (\w+) in ([^\s,]+)/, (all, count, period, place) => `每个自然${PERIODS[period] ?? period}（${place}）${count} 次`)
    .replace(/^(\d+) per (\S+?)(?=,|$)/, '每 $2 $1 次')
    .replace(/^(\d+) at once, ttl (\S+)/, '同时 $1 个，每个最长 $2')
    .replace(/, burst (\d+)/, '，突发 $1').replace(/, capacity (\d+)/, '，排队 $1').replace(/, max_wait (\S+)/, '，最长等待 $1').replace(/, weighted/, '，加权')
    .replace(/, cost ((?:reserve|charge) .+?)(?=, durable|$)/, (all, text) => `，计费 ${costs(text)}`).replace(/, durable$/, '，持久保留')
    .replace(/(^|, )keep (\S+)$/, (all, comma, kept) => `${comma && '，'}为其他请求保留 ${kept}`);
}

/** `reserve json.max_tokens, default 2000`. */
function costs(text) {
  return text.replace(/(^|, )(reserve|default|settle|within|charge) /g, (all, comma, key) => `${comma && '，'}${KEYS[key]} `).replace(/ always$/, ' 一律');
}

function limitName(candidate, by, id) {
  return `${candidate ? '候选' : ''}${by ? `按 ${by} 的` : ''}限额${id ? ` ${id}` : ''}`;
}

/** `rate 5/s → 6/s, burst 10 → 20`. */
function numbers(text) {
  return text.split(/, (?=[a-z_ ]+ [^→]+ → )/).map((part) => {
    const found = /^(match|message|label) (\S+) (.*) → (.*)$/.exec(part) ?? null;
    if (found) {
      return `${{ match: '条件', message: '提示', label: '标签' }[found[1]]} ${found[2]} ${value(found[3])} → ${value(found[4])}`;
    }
    const key = Object.keys(KEYS).filter((each) => part.startsWith(`${each} `)).sort((a, b) => b.length - a.length)[0];
    const [from, to, ...more] = key ? part.slice(key.length + 1).split(' → ') : [];
    return to === undefined || more.length > 0 ? part : `${KEYS[key]} ${value(from)} → ${value(to)}`;
  }).join('，');
}

const both = (text) => `${text}，旧限额和新限额都可以使用`;

const PATTERNS = [
  [/^added((?:, disabled)?)((?:, in shadow)?) \((?:(\d+) limits?|(exempts|denies))\)$/, (disabled, shadow, count, action) => `新增${disabled && '，已停用'}${shadow && '，影子'}（${count ? `${count} 条限额` : action === 'exempts' ? '豁免' : '禁止'}）`],
  [new RegExp(`^${LIMIT} cost (added|removed) \\(((?:reserve|charge) .+)\\)$`), (candidate, by, id, deed, text) => `${limitName(candidate, by, id)}：${deed === 'added' ? '新增' : '删除'}计费（${costs(text)}）`],
  [new RegExp(`^${LIMIT} cost ((?:reserve|default|settle|within|charge) .+ → .+)$`), (candidate, by, id, text) => `${limitName(candidate, by, id)} 的计费：${numbers(text)}`],
  [new RegExp(`^${LIMIT} (now|no longer) durable$`), (candidate, by, id, now) => `${limitName(candidate, by, id)}${now === 'now' ? '改为' : '不再'}持久保留`],
  [new RegExp(`^${LIMIT} (added|removed) \\((.+)\\)$`), (candidate, by, id, deed, text) => `${deed === 'added' ? '新增' : '删除'}${limitName(candidate, by, id)}（${amount(text)}）`],
  [new RegExp(`^${LIMIT} (${AMOUNT}) → (${AMOUNT})$`), (candidate, by, id, from, to) => `${limitName(candidate, by, id)} ${amount(from)} → ${amount(to)}`],
  [new RegExp(`^${LIMIT} ((?:absent|unread|otherwise by|rate|burst|max_wait|capacity|limit|ttl|weighted) .+ → .+)$`), (candidate, by, id, text) => `${limitName(candidate, by, id)}：${numbers(text)}`],
  [new RegExp(`^counts of (?:the )?(?:${LIMIT}|(candidate )?(\\S+)) start fresh \\((.*)\\)$`),
    (candidate, by, id, other, own, why) => `${own ? `${other ? '候选限额' : '限额'} ${own}` : limitName(candidate, by, id)} 重新计数（${fresh(why)}）`],
  [new RegExp(`^override of ${LIMIT} for (.+?) added \\((.+?)(?:, until (\\S+))?\\)$`), (candidate, by, id, who, text, until) => `为 ${conditions(who)} 新增${limitName(candidate, by, id)} 的例外（${amount(text)}${until ? `，截止 ${until}` : ''}）`],
  [new RegExp(`^override of ${LIMIT} for (.+?) removed \\((.+)\\)$`), (candidate, by, id, who, text) => `删除 ${conditions(who)} 对${limitName(candidate, by, id)} 的例外（${amount(text)}）`],
  [new RegExp(`^override of ${LIMIT} for (.+?): keep (\\S+) → (\\S+)$`), (candidate, by, id, who, from, to) => `${conditions(who)} 对${limitName(candidate, by, id)} 的例外：为其他请求保留 ${value(from)} → ${value(to)}`],
  [new RegExp(`^override of ${LIMIT} for (.+?): until (\\S+) → (\\S+)$`), (candidate, by, id, who, from, to) => `${conditions(who)} 对${limitName(candidate, by, id)} 的例外：截止 ${value(from)} → ${value(to)}`],
  [new RegExp(`^override of ${LIMIT} for (.+?): (${AMOUNT}) → (${AMOUNT})$`), (candidate, by, id, who, from, to) => `${conditions(who)} 对${limitName(candidate, by, id)} 的例外：${amount(from)} → ${amount(to)}`],
  [/^mode (\S+) → (\S+) \(with a shared store, counts start fresh\)$/, (from, to) => `模式 ${from} → ${to}（使用共享存储时重新计数）`],
  [/^(methods|match \S+) ((?:\d+ (?:added|removed) \(.*?\)(?:, )?)+)$/, (what, text) => `${what === 'methods' ? '方法' : `条件 ${what.slice(6)}`} ${text.replace(/(\d+) added \(/g, '新增 $1 个（').replace(/(\d+) removed \(/g, '删除 $1 个（').replace(/\)(?:, )?/g, '），').replace(/，$/, '').replace(/ and (\d+) more/g, ' 等 $1 个')}`],
  [/^starts a new count: (.*)$/, (means) => `重新计数：${freshMeans(means)}`],
  [/^and (\d+) more changes$/, (count) => `另有 ${count} 处修改`],
];

function conditions(text) {
  return text.replace(/ and (\d+) more/g, ' 等 $1 个').replace(/ and /g, ' 且 ');
}

function fresh(why) {
  const found = /^(\w+) (.+) → (\w+) (.+?)((?:, [a-z_]+ [^→]+ → .*)?)$/.exec(why);
  return found && found[1] !== found[3] && new RegExp(`^${AMOUNT}$`).test(found[2])
    ? `${found[1]} ${amount(found[2])} → ${found[3]} ${amount(found[4])}${found[5] ? `，${numbers(found[5].slice(2))}` : ''}` : numbers(why);
}

const SPANS = [
  [/^at the moment of the change$/, () => '在变更的瞬间'],
  [/^for the time in which the old bucket would have filled up \((\S+)\)$/, (span) => `在旧桶补满之前（${span}）`],
  [/^for the time in which the old queue drains \((\S+)\)$/, (span) => `在旧队列排空之前（${span}）`],
  [/^until the (\w+) ends \((\S+)\)$/, (period, place) => `在${period === 'day' ? '当' : '本'}${PERIODS[period] ?? period}结束之前（${place}）`],
  [/^for one window \((\S+)\)$/, (span) => `在一个窗口内（${span}）`],
  [/^it does not know the permits that are held, so until they are released, at most for (\S+) unless they are renewed,$/, (span) => `它不知道已占用的许可；在释放之前（若不续期最长 ${span}）`],
];

function freshMeans(text) {
  const found = /^(.*) the old and the new limit can both be used(?:; the new bucket starts full, with a burst of (\d+))?$/.exec(text);
  if (!found) {
    return WHOLE[text] ?? text;
  }
  return `${both(translated(SPANS, found[1]) ?? found[1])}${found[2] ? `；新桶开始时是满的，突发 ${found[2]}` : ''}`;
}

function translated(patterns, text) {
  for (const [pattern, say] of patterns) {
    const found = pattern.exec(text);
    if (found) {
      return say(...found.slice(1).map((part) => part ?? ''));
    }
  }
  return null;
}

/** Returns a sentence of the center about a change, or the part of it after the rule. What is not known stays as it is. */
export function changeWords(sentence) {
  if (language.value !== 'zh') {
    return sentence;
  }
  const known = Object.hasOwn(WHOLE, sentence) ? WHOLE[sentence] : translated(PATTERNS, sentence);
  if (known) {
    return known;
  }
  const named = /^([\w.*-]+): (.*)$/.exec(sentence);
  return named ? `${named[1]}: ${changeWords(named[2])}` : numbers(sentence);
}
