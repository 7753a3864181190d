// All views: their path, name, key and right. A view is loaded when it is opened for the first time.
import { words } from '/assets/console/words.js';

export const t = words({
  en: {
    now: 'Now', traffic: 'Traffic', caller: 'Caller', rules: 'Rules', rule: 'Rule', editor: 'Editor', changes: 'Changes', change: 'Change',
    releases: 'Releases', release: 'Release', nodes: 'Fleet', shadow: 'Shadow', explain: 'Explain', decisions: 'Decisions', alerts: 'Alerts',
    audit: 'Audit', people: 'People', tokens: 'Tokens', approvals: 'Approvals', account: 'Your account', retention: 'What is kept', design: 'Design',
    watch: 'Watch', govern: 'Rules', center: 'Center',
  },
  zh: {
    now: '现在', traffic: '流量', caller: '调用方', rules: '规则', rule: '规则', editor: '编辑器', changes: '变更', change: '变更',
    releases: '发布', release: '发布', nodes: '节点', shadow: '影子', explain: '解释', decisions: '决策', alerts: '告警',
    audit: '审计', people: '人员', tokens: '令牌', approvals: '审批', account: '您的账户', retention: '数据保留', design: '设计',
    watch: '观察', govern: '规则', center: '中心',
  },
});

/** `key` follows g: g n opens Now. Views without a group are not in the menu. */
export const views = [
  { path: '/', name: 'now', group: 'watch', key: 'n', right: 'read', load: () => import('/assets/views/now.js') },
  { path: '/traffic', name: 'traffic', group: 'watch', key: 't', right: 'read', load: () => import('/assets/views/traffic.js') },
  { path: '/decisions', name: 'decisions', group: 'watch', key: 'd', right: 'read', load: () => import('/assets/views/decisions.js') },
  { path: '/alerts', name: 'alerts', group: 'watch', key: 'a', right: 'see_fleet', load: () => import('/assets/views/alerts.js') },
  { path: '/nodes', name: 'nodes', group: 'watch', key: 'f', right: 'see_fleet', load: () => import('/assets/views/nodes.js') },
  { path: '/rules', name: 'rules', group: 'govern', key: 'r', right: 'read', load: () => import('/assets/views/rules.js') },
  { path: '/changes', name: 'changes', group: 'govern', key: 'c', right: 'read', load: () => import('/assets/views/changes.js') },
  { path: '/releases', name: 'releases', group: 'govern', key: 'v', right: 'read', load: () => import('/assets/views/releases.js') },
  { path: '/shadow', name: 'shadow', group: 'govern', key: 's', right: 'read', load: () => import('/assets/views/shadow.js') },
  { path: '/explain', name: 'explain', group: 'govern', key: 'e', right: 'read', load: () => import('/assets/views/explain.js') },
  { path: '/audit', name: 'audit', group: 'center', key: 'l', right: 'see_log', load: () => import('/assets/views/audit.js') },
  { path: '/approvals', name: 'approvals', group: 'center', key: 'o', right: 'read', load: () => import('/assets/views/approvals.js') },
  { path: '/people', name: 'people', group: 'center', key: 'p', right: 'manage_people', load: () => import('/assets/views/people.js') },
  { path: '/tokens', name: 'tokens', group: 'center', key: 'k', right: null, load: () => import('/assets/views/tokens.js') },
  { path: '/account', name: 'account', right: null, load: () => import('/assets/views/account.js') },
  { path: '/retention', name: 'retention', right: null, load: () => import('/assets/views/retention.js') },
  { path: '/design', name: 'design', right: null, load: () => import('/assets/views/design.js') },
  { path: '/editor', name: 'editor', right: 'edit', parent: '/rules', load: () => import('/assets/views/editor.js') },
  { path: '/rules/', name: 'rule', right: 'read', parent: '/rules', load: () => import('/assets/views/rule.js') },
  { path: '/changes/', name: 'change', right: 'read', parent: '/changes', load: () => import('/assets/views/change.js') },
  { path: '/releases/', name: 'release', right: 'read', parent: '/releases', load: () => import('/assets/views/release.js') },
  { path: '/callers/', name: 'caller', right: 'read', parent: '/traffic', load: () => import('/assets/views/caller.js') },
];

/** Returns the view of a path: the same path, or one that ends with / and begins it. */
export function viewOf(path) {
  return views.find((view) => view.path === path)
    ?? views.find((view) => view.path.length > 1 && view.path.endsWith('/') && path.startsWith(view.path));
}

/** Returns what follows the path of a view, such as the id of a rule. A text that is no such address is taken as it is. */
export function idOf(path) {
  const id = path.slice(path.indexOf('/', 1) + 1);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
