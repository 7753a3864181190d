// The names of the kinds of data, and what the center says about them in Chinese. English sentences come from the API.
import { language } from '/assets/texts.js';

const titles = {
  audit: ['Audit log', '审计日志'],
  audit_tree: ['Proofs of the audit log', '审计日志的证明'],
  versions: ['Released rules', '已发布的规则'],
  changes: ['Changes and approvals', '变更与审批'],
  adjustments: ['Overrides and switches', '覆盖与开关'],
  nodes: ['Reports of nodes', '节点报告'],
  traffic_journal: ['Traffic that has just arrived', '刚到达的流量数据'],
  series_seconds: ['Traffic by the second', '每秒流量'],
  series_minutes: ['Traffic by the minute', '每分钟流量'],
  series_hours: ['Traffic by the hour', '每小时流量'],
  erasures: ['Requests to erase', '删除请求'],
  durable: ['Sums of durable limits', '持久配额的累计'],
  alerts: ['Alerts', '告警'],
  accounts: ['Accounts', '账户'],
  tokens: ['Tokens of programs', '程序令牌'],
  sessions: ['Sessions', '会话'],
  links: ['One-time links', '一次性链接'],
  answers: ['Answers to changes', '变更请求的回答'],
  attempts: ['Failed sign-ins', '失败的登录'],
  refused_callers: ['Refused callers', '被拒绝的调用方'],
  backups: ['Backups', '备份'],
  decisions: ['Sample of decisions', '决策样本'],
  secrets: ['Keys of the center', '中心的密钥'],
  counts: ['Counts of limits', '限流计数'],
  redis_rules: ['Rules for nodes', '供节点使用的规则'],
  redis_nodes: ['Reports of nodes through Redis', '经 Redis 的节点报告'],
  node_counts: ['Counts in memory', '内存中的计数'],
  node_rules: ['Last good rules', '最近一套可用规则'],
  node_recordings: ['Recordings', '录制文件'],
  node_callers: ['Refused callers in memory', '内存中的被拒调用方'],
  node_key: ['Key of callers', '调用方哈希的密钥'],
  node_decisions: ['Decision log', '决策日志'],
  node_unsent: ['Decisions on their way', '待发送的决策'],
  node_durable: ['Sums of durable limits', '持久配额的累计'],
  node_witness: ['Witnessed checkpoint', '已见证的检查点'],
  logs: ['Output of processes', '进程日志'],
  sinks: ['Audit rows and decisions that were sent', '已发送的审计行和决策'],
  exports: ['Exports and copies', '导出与副本'],
  database_server: ['Database servers', '数据库服务器'],
};

const NOBODY = '无需删除：不涉及任何人';
const EXISTS = '与中心同在';

/** What it is, how long it stays, what ends it, and what an erasure does. */
const chinese = {
  audit: [
    '谁在何时、从哪个地址、出于什么原因做了什么，包括登录与被拒绝的请求',
    '{time}',
    '中心删除这些行并保留其哈希，日志仍可验证',
    '提及此人的行的地址、原因和内容；操作者和时间保留',
  ],
  audit_tree: ['审计日志的哈希、已签名的检查点和公钥', EXISTS, '从不', NOBODY],
  versions: [
    '已发布的规则及其标题、原因和作者，以及发布过程',
    '{time}，且至少保留最近 {number} 个',
    '中心删除既未生效、也不需要用于回退的版本',
    '标题和原因；提及此人的规则会被列出，发布不含此人的规则后即结束',
  ],
  changes: [
    '规则变更、审批和紧急操作，以及作者和原因',
    '关闭后 {time}，且与其版本保留得一样久',
    '中心删除；未关闭的保留',
    '提及此人的标题、原因和备注',
  ],
  adjustments: [
    '针对单个调用方的覆盖和紧急开关，包括调用方、作者和原因',
    '结束后 {time}',
    '中心删除；生效中的保留',
    '针对此人的覆盖，包括生效中的',
  ],
  nodes: ['每个节点的最后一份报告：名称、版本、规则、进程计数', '最后一份报告后 {time}', '中心忘记沉默的节点', NOBODY],
  traffic_journal: [
    '节点刚发送的计数、被拒调用方和决策，保存在文件中；调用方为掩码文本和带密钥的哈希',
    '数分钟，直到写入各自的文件',
    '中心每分钟删除文件',
    '不会单独删除：文件数分钟后即消失',
  ],
  series_seconds: ['每条规则和每个节点每秒裁决的请求数，保存在文件中', '{time}', '中心每分钟删除文件', NOBODY],
  series_minutes: ['同样的数字，按分钟，保存在数据库中', '{time}', '中心每小时删除', NOBODY],
  series_hours: ['同样的数字，按小时，保存在数据库中', '{time}', '中心每小时删除', NOBODY],
  erasures: [
    '删除请求以及每个节点删除了什么；当事人仅以带密钥的哈希表示',
    '{time}；带密钥的哈希保留',
    '中心删除答复和原因',
    '仅在询问节点期间（最多 30 天）知道当事人，且在此期间加密保存',
  ],
  durable: [
    '节点在持久配额上的扣减，按调用方：地址、名称或键；若规则要求则为其哈希',
    '其计数的日、周、月或年结束后 {time}',
    '中心每小时删除；备份不包含',
    '能找到的此人的全部累计，由节点执行时一并删除',
  ],
  alerts: [
    '告警和静默，包括作者和原因；调用方以脱敏文本和带密钥的哈希表示',
    '结束后 {time}',
    '中心每小时删除；触发中的保留',
    '提及此人的静默原因；脱敏的调用方到期后删除',
  ],
  accounts: [
    '使用本中心的人员的账户：名称、电子邮箱、角色、密码哈希、通行密钥',
    '启用期间，之后 {time}',
    '中心删除已停用账户的电子邮箱、显示名称、密码和通行密钥；账户名称保留',
    '不会自动删除：由管理员停用账户',
  ],
  tokens: ['程序令牌：名称、所有者、范围和令牌的哈希', '撤销或过期后 {time}', '中心删除', '不会自动删除：由管理员撤销'],
  sessions: [
    '已登录的浏览器：账户、时间以及所用的验证方式；Cookie 的哈希',
    '最长 {time}，闲置 {number} 小时后结束',
    '中心每分钟删除',
    '账户停用时结束',
  ],
  links: ['一次性链接和未完成的登录，仅保存哈希', '最长 {time}', '中心每小时删除', '账户停用时结束'],
  answers: [
    '对带有 Idempotency-Key 的变更请求的回答，用该密钥加密',
    '{time}，且最多保留最近 {number} 个',
    '中心每小时删除；备份不包含',
    '所有回答，因为只有密钥才能看出涉及谁',
  ],
  attempts: [
    '按名称和地址统计的失败登录；没有 Redis 时保存在中心的内存中',
    '最后一次尝试后约 {time}',
    '自动过期',
    '无需删除：在有人提出请求之前就已消失',
  ],
  refused_callers: [
    '被拒绝的调用方：掩码文本和带密钥的哈希，以及哪个限流、多少次；位于 traffic/callers 的文件',
    '按小时保留 {time}，按分钟最多保留 3 小时',
    '中心删除这些文件',
    '此人，按节点告知的哈希删除',
  ],
  backups: [
    '数据库副本，每晚以及每次迁移之前制作',
    '最近 {number} 个',
    '每次新备份后，中心删除最旧的文件',
    '不会删除：恢复备份后，会按备份之外的清单再次删除',
  ],
  decisions: [
    '决策样本：调用方和属性仅以遮盖的文本和带密钥的哈希表示，另有路径和请求编号',
    '{time}，且最多 1 GB',
    '中心删除最旧的文件',
    '带有此人任一哈希的全部决策',
  ],
  secrets: ['中心自己的密钥、管理员令牌、对审计日志的记忆，以及以带密钥的哈希表示的删除记录', EXISTS, '由您删除数据目录', NOBODY],
  counts: [
    '按调用方统计的限流计数：地址、名称或键；若限流规则如此设定则为其哈希',
    '最后一次请求后最多约 {time}，取决于生效中最长的限流规则',
    '在 Redis 中自动过期',
    '能够找到的此人的全部计数；由多个属性组成的哈希计数只有在全部属性已知时才能找到',
  ],
  redis_rules: ['节点读取的已发布规则和生效中的覆盖', '直到下一次发布或覆盖变更', '由中心替换', '针对此人的覆盖'],
  redis_nodes: ['与中心没有连接的节点的报告', '最后一份报告后数秒', '自动过期', NOBODY],
  node_counts: ['同样的计数和预先租用的许可，保存在内存中', '与 Redis 中一样久，且到进程结束为止', '由节点忘记', '此人的全部计数和租约'],
  node_rules: ['最近一套可用规则，位于 --data 目录', '直到更新的规则到达', '由节点替换文件', '提及此人的规则，在下一次发布不含此人的规则时'],
  node_recordings: ['决策的录制文件（如果有人开启）', '直到您删除', '由您删除文件', '此人的键变为假名'],
  node_callers: [
    '节点拒绝过的调用方是谁，保存在内存中，用于回答中心的询问',
    '最后一次被拒绝后最多 {time}，且只保留最近 10,000 个',
    '由节点忘记',
    '此人的请求',
  ],
  node_key: ['代表调用方的哈希所用的密钥，位于 --data 目录', '与节点同在', '由您删除文件', NOBODY],
  node_decisions: ['决策日志（如果配置了目录）：调用方为掩码文本和带密钥的哈希', '180 天且 2 GB，除非节点另有配置', '由节点删除最旧的文件', '此人的行'],
  node_unsent: ['等待中心或磁盘的决策，在内存中，不含调用方明文', '数秒；最长到进程结束', '发送，或丢弃并计数', '不会删除：等待的内容会被发送；请在数秒后再次擦除此人'],
  node_durable: [
    '节点在持久配额上的扣减，按调用方，保存在内存和 --data 目录',
    '其计数的日、周、月或年结束后 {time}',
    '由节点重写日志文件',
    '能找到的此人的全部累计',
  ],
  node_witness: ['节点见证的最新检查点', '与节点同在', '从不', NOBODY],
  logs: ['中心和节点输出的内容：状态变化，不含请求和机密', '取决于您对输出去向的配置', '由您或您的日志系统', '不会删除：中心无法触及'],
  sinks: ['发送到文件、syslog 或 Kafka 的审计行，以及发送到 Kafka 的决策', '取决于您在那里的配置', '由您或该系统', '不会删除：已发送的内容不会收回'],
  exports: ['审计日志或中心的导出，以及备份的副本', '由您决定保留多久', '由您删除文件', '不会删除：中心不知道它们'],
  database_server: ['MariaDB 或 MySQL 服务器的日志和备份，以及 Redis 的快照', '取决于您在那里的配置', '由该服务器', '不会删除：中心无法触及'],
};

const units = [[31536000, '年'], [86400, '天'], [3600, '小时'], [60, '分钟'], [1, '秒']];

/** Returns an ISO 8601 duration in Chinese words, in the longest unit that divides it. */
function time(text) {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/.exec(text) ?? [];
  const all = Number(days) * 86400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const [length, word] = units.find(([each]) => all > 0 && all % each === 0) ?? [1, '秒'];
  return `${all / length} ${word}`;
}

/** Returns a kind of data in the language of the page. A kind that this page does not know stays as the center tells it. */
export function told(kind) {
  const isChinese = language.value === 'zh';
  const title = Object.hasOwn(titles, kind.id) ? titles[kind.id][isChinese ? 1 : 0] : kind.id;
  if (!isChinese || !Object.hasOwn(chinese, kind.id)) {
    return { title, what: kind.what, howLong: kind.how_long, ends: kind.ends, erased: kind.erased };
  }
  const [what, howLong, ends, erased] = chinese[kind.id];
  const number = kind.how_long.match(/\d+/g)?.at(-1) ?? '';
  const words = howLong.includes('{time}') && !kind.time
    ? '没有生效中的限流规则'
    : howLong.replace('{time}', kind.time ? time(kind.time) : '').replace('{number}', number || '1');
  return { title, what, howLong: words, ends, erased };
}
