// What a change of a rule begins with: the name of a limit in reports, and the proposal to remove a rule.
import { ask } from '/assets/console/dialog.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    removeTitle: 'Propose to remove {rule}', removeText: 'This opens a change. Nothing happens until the change is released.',
    removeAction: 'Open change', changeTitle: 'Title', removeDefault: 'Remove {rule}',
  },
  zh: {
    removeTitle: '提议删除 {rule}', removeText: '这会新建一项变更。发布之前不会有任何影响。',
    removeAction: '新建变更', changeTitle: '标题', removeDefault: '删除 {rule}',
  },
});

/** Returns the name of a limit in reports, such as login.0. */
export function limitName(rule, index) {
  return `${rule.id}.${rule.limits[index].id ?? index}`;
}

/** Opens a change that removes a rule. Returns the change, or null. */
export function removeRule(rule, base) {
  return ask({
    title: t('removeTitle', { rule: rule.id }), text: t('removeText'), action: t('removeAction'), danger: true,
    fields: [{ name: 'title', label: t('changeTitle'), value: t('removeDefault', { rule: rule.id }) }],
    call: ({ title, reason }) => ({ method: 'POST', path: '/api/changes', body: { title, reason, base, edits: [{ remove: rule.id }] } }),
  });
}
