// What waits for the person who looks: changes, settings and emergencies to be reviewed.
import { html } from '/assets/parts.js';
import { badge, panel, timeAgo } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { actorName } from '/assets/views/release-words.js';

const t = words({
  en: { title: 'Waits for you', change: 'change', approval_settings: 'settings', emergency: 'emergency', by: 'by {by}' },
  zh: { title: '等待您处理', change: '变更', approval_settings: '设置', emergency: '紧急', by: '来自 {by}' },
});

const KINDS = { change: 'info', approval_settings: 'info', emergency: 'bad' };

function address(notice) {
  return notice.kind === 'change' ? `/changes/${notice.id}` : '/approvals';
}

/** A panel with the notices; nothing if there are none. */
export function waiting(notices) {
  if (!notices || notices.length === 0) {
    return null;
  }
  return panel({ id: 'waiting', title: t('title'), kind: 'waits', tight: true }, html`
    <ul class="notices">${notices.map((notice) => html`
      <li key=${`${notice.kind}-${notice.id}`}>
        ${badge(t(notice.kind), KINDS[notice.kind])}
        <a href=${address(notice)} class="notice-text">${notice.text}</a>
        <span class="soft small nowrap">${t('by', { by: actorName(notice.by) })} · ${timeAgo(notice.at)}</span>
      </li>`)}</ul>`);
}
