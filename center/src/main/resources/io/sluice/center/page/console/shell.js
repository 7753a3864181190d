// The frame of the console: menu, search, keys, and what is true for every view.
import { h, nextTick, onMounted, ref, shallowRef, watch } from '/assets/vue.js';
import { call, detour } from '/assets/api.js';
import { explain, html } from '/assets/parts.js';
import { language, switchLanguage } from '/assets/texts.js';
import { copy, curl, forgetReads, reads } from '/assets/console/calls.js';
import { asOf, isReady, loadError, now } from '/assets/console/data.js';
import { dialogPlace } from '/assets/console/dialog.js';
import { clock, span } from '/assets/console/format.js';
import { bind } from '/assets/console/keys.js';
import { can, loadMe, me } from '/assets/console/me.js';
import { go, route } from '/assets/console/router.js';
import { openSearch, searchPlace } from '/assets/console/search.js';
import { switchTheme, switchZone, theme, zone } from '/assets/console/settings.js';
import { startStream, stream } from '/assets/console/stream.js';
import { toast, toastPlace } from '/assets/console/toast.js';
import { t as names, viewOf, views } from '/assets/console/views.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    skip: 'Skip to the content', menu: 'Menu', search: 'Search', asOf: 'Data as of {time}', loading: 'Loading…', live: 'live',
    connecting: 'connecting…', lost: 'Live updates are lost since {span}; the page tries again.', lostNews: 'Live updates are lost; the page tries again.', copyCurl: 'Copy as curl', copied: 'The commands of this view were copied.',
    notCopied: 'The browser did not allow to copy.', toDark: 'Dark colours', toLight: 'Light colours', utc: 'UTC', local: 'Local time',
    zoneHint: 'Switch between UTC and local time (u)', otherLanguage: '中文', account: 'Your account', signOut: 'Sign out', keys: 'Keys', keysTitle: 'Keys',
    keySearch: 'Search', keyHelp: 'This list', keyZone: 'UTC or local time', keyTheme: 'Light or dark', keyLanguage: 'English or 中文', keyCurl: 'Copy the view as curl',
    keyClose: 'Close', close: 'Close', closeMenu: 'Close the menu', unknown: 'There is no such page.', home: 'Go to the first page', stale: 'The newest data cannot be loaded: {why}',
    denied: 'Your role does not allow this page.', failed: 'The page could not be loaded: {why}', again: 'Try again',
  },
  zh: {
    skip: '跳到内容', menu: '菜单', search: '搜索', asOf: '数据时间 {time}', loading: '加载中…', live: '实时',
    connecting: '连接中…', lost: '实时更新已中断 {span}；页面正在重试。', lostNews: '实时更新已中断；页面正在重试。', copyCurl: '复制为 curl', copied: '已复制此页面的命令。',
    notCopied: '浏览器不允许复制。', toDark: '深色', toLight: '浅色', utc: 'UTC', local: '本地时间',
    zoneHint: '切换 UTC 与本地时间 (u)', otherLanguage: 'English', account: '您的账户', signOut: '退出登录', keys: '快捷键', keysTitle: '快捷键',
    keySearch: '搜索', keyHelp: '此列表', keyZone: 'UTC 或本地时间', keyTheme: '浅色或深色', keyLanguage: '中文或 English', keyCurl: '将页面复制为 curl',
    keyClose: '关闭', close: '关闭', closeMenu: '关闭菜单', unknown: '没有这个页面。', home: '回到首页', stale: '无法加载最新数据：{why}',
    denied: '您的角色无权访问此页面。', failed: '页面加载失败：{why}', again: '重试',
  },
});

const ICONS = {
  now: 'M3 12h4l3-8 4 16 3-8h4', traffic: 'M4 20V10M10 20V4M16 20v-8M21 20H3', decisions: 'M4 6h16M4 12h10M4 18h13', alerts: 'M12 3 2 20h20zM12 10v4M12 17v.5',
  nodes: 'M4 5h16v5H4zM4 14h16v5H4zM7 7.5h.5M7 16.5h.5', rules: 'M5 4h14v16H5zM8 8h8M8 12h8M8 16h5', changes: 'M6 4v10M6 18v.5M18 20V10M18 6v-.5M6 14a4 4 0 0 0 4 4h4M18 10a4 4 0 0 0-4-4h-4',
  releases: 'M12 3v12M7 8l5-5 5 5M4 17v3h16v-3', shadow: 'M12 4a8 8 0 1 0 0 16zM12 4v16', explain: 'M9 9a3 3 0 1 1 4 3c-1 .4-1 1-1 2M12 17v.5M12 3a9 9 0 1 0 .01 0',
  audit: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4', approvals: 'M4 12l5 5L20 6', people: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2 20c0-4 3-6 7-6s7 2 7 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14c2.5.7 4 2.6 4 6',
  tokens: 'M8 13a4.5 4.5 0 1 1 3-1.2l9 0v3h-3v-3', search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13M15.5 15.5 21 21', menu: 'M4 6h16M4 12h16M4 18h16',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M19 5l-1.5 1.5M6.5 17.5 5 19', moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10', curl: 'M8 8l-4 4 4 4M16 8l4 4-4 4M13 5l-2 14',
};

function icon(name) {
  return html`<svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;
}

const helpOpen = ref(false);
const help = ref(null);

function showHelp() {
  helpOpen.value = true;
  nextTick(() => help.value?.showModal());
}

function hideHelp() {
  help.value?.close();
  helpOpen.value = false;
}

async function copyView() {
  const text = reads().map((address) => curl('GET', address)).join('\n');
  const done = await copy(text);
  toast(t(done ? 'copied' : 'notCopied'), done ? 'good' : 'bad');
}

/** Texts that the editor keeps for its author. They are not for whoever signs in next. */
function forgetDrafts() {
  Object.keys(sessionStorage).filter((key) => key.startsWith('sluice.editor:')).forEach((key) => sessionStorage.removeItem(key));
}

async function signOut() {
  try {
    await call('DELETE', '/api/session');
  } catch {
    // Whatever the answer is, the sign-in page shows the truth.
  }
  forgetDrafts();
  location.assign('/sign-in');
}

function keyTable() {
  const rows = [
    ['/', t('keySearch')], ['?', t('keyHelp')], ['u', t('keyZone')], ['m', t('keyTheme')], ['z', t('keyLanguage')], ['y', t('keyCurl')], ['Esc', t('keyClose')],
    ...views.filter((view) => view.key && (view.right === null || can(view.right))).map((view) => [`g ${view.key}`, names(view.name)]),
  ];
  return html`<dialog ref=${help} class="dialog" id="keys" aria-labelledby="keys-title" onCancel=${(event) => { event.preventDefault(); hideHelp(); }}>
    <h2 id="keys-title">${t('keysTitle')}</h2>
    <dl class="keys">${rows.map(([key, text]) => html`<div key=${key}><dt>${key.split(' ').map((each) => html`<kbd>${each}</kbd>`)}</dt><dd>${text}</dd></div>`)}</dl>
    <div class="dialog-end"><span class="grow"></span><button type="button" class="secondary" onClick=${hideHelp}>${t('close')}</button></div></dialog>`;
}

/** The console. */
export const shell = {
  setup() {
    const view = shallowRef(null);
    const problem = ref(null);
    const retry = shallowRef(null);
    // On a phone the menu lies above the view.
    const menuOpen = ref(false);
    const toMenuButton = () => nextTick(() => document.getElementById('menu-button')?.focus());
    const openMenu = () => {
      menuOpen.value = true;
      nextTick(() => document.getElementById('menu-close')?.focus());
    };
    const closeMenu = () => {
      menuOpen.value = false;
      toMenuButton();
    };
    addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && menuOpen.value && !document.querySelector('dialog[open]')) {
        event.stopImmediatePropagation();
        closeMenu();
      }
    }, true);
    matchMedia('(max-width: 48rem)').addEventListener('change', () => { menuOpen.value = false; });
    /** A link leads to another view, whose title gets the focus, or to this one again. */
    const followMenu = (event) => {
      if (menuOpen.value && event.target.closest('a[href]')) {
        closeMenu();
      }
    };
    let opened = '';

    async function open() {
      const found = viewOf(route.path);
      problem.value = null;
      retry.value = null;
      menuOpen.value = false;
      if (!found) {
        view.value = null;
        opened = '';
        problem.value = () => t('unknown');
        return;
      }
      if (found.right !== null && !can(found.right)) {
        view.value = null;
        opened = '';
        problem.value = () => t('denied');
        return;
      }
      const path = route.path;
      if (opened === path) {
        return;
      }
      try {
        const module = await found.load();
        if (route.path === path) {
          forgetReads();
          opened = path;
          // The key makes a view of another rule a new one.
          view.value = { component: module.default, key: path, name: found.name, parent: found.parent ?? found.path };
          nextTick(() => document.getElementById('title')?.focus({ preventScroll: true }));
        }
      } catch (failure) {
        if (route.path !== path) {
          return;
        }
        view.value = null;
        opened = '';
        problem.value = () => t('failed', { why: failure.message });
        // Some browsers remember that a module could not be loaded until the document is loaded again.
        retry.value = () => location.reload();
        console.error(failure);
      }
    }

    const ready = ref(false);
    async function begin() {
      problem.value = null;
      retry.value = null;
      try {
        await loadMe();
      } catch (failure) {
        if (failure.status === 401) {
          location.replace(detour('/sign-in'));
          return;
        }
        problem.value = explain(failure);
        retry.value = begin;
        return;
      }
      ready.value = true;
      startStream();
      bind('/', openSearch);
      bind('?', showHelp);
      bind('u', switchZone);
      bind('m', switchTheme);
      bind('z', switchLanguage);
      bind('y', copyView);
      views.filter((each) => each.key).forEach((each) => bind(`g ${each.key}`, () => go(each.path)));
      watch(() => route.path, open, { immediate: true });
    }
    onMounted(begin);
    // A page that the browser kept in memory may be of somebody who has signed out since.
    addEventListener('pageshow', (event) => {
      if (event.persisted) {
        location.reload();
      }
    });
    watch([view, language], () => {
      document.title = view.value ? `${names(view.value.name)} · Sluice` : 'Sluice';
    });

    const group = (name) => {
      const items = views.filter((each) => each.group === name && (each.right === null || can(each.right)));
      return items.length > 0 && html`
        <div class="menu-group" key=${name}><div class="menu-name" aria-hidden="true">${names(name)}</div>
          ${items.map((each) => html`<a key=${each.path} href=${each.path} id=${`menu-${each.name}`}
            aria-current=${view.value?.parent === each.path ? 'page' : null}>${icon(each.name)}<span>${names(each.name)}</span></a>`)}</div>`;
    };

    const state = () => {
      if (stream.state === 'lost') {
        return html`<span class="stream bad" id="stream"><span class="dot bad" aria-hidden="true"></span>${t('lost', { span: span(now.value - stream.since) })}</span>`;
      }
      return html`<span class="stream" id="stream"><span class=${`dot ${stream.state === 'live' ? 'good' : 'warn'}`} aria-hidden="true"></span>
        ${t(stream.state)}</span>`;
    };

    return () => html`
      <div class=${['console', menuOpen.value ? 'menu-open' : '']}>
        <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById('main').focus(); }}>${t('skip')}</a>
        <nav class="menu" id="menu" aria-label=${t('menu')} onClick=${followMenu}>
          <div class="menu-head"><a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="26" height="26" />Sluice</a>
            <button type="button" class="quiet only-small" id="menu-close" aria-label=${t('closeMenu')} onClick=${closeMenu}>×</button></div>
          ${ready.value && ['watch', 'govern', 'center'].map(group)}
          <span class="grow"></span>
          ${me.value && html`<a class="menu-me" id="menu-account" href="/account" title=${t('account')}
            aria-current=${view.value?.parent === '/account' ? 'page' : null}><span class="avatar" aria-hidden="true">${(me.value.display_name || me.value.user).slice(0, 1).toUpperCase()}</span>
            <span class="menu-user">${me.value.display_name || me.value.user}</span></a>
            <button type="button" class="quiet small" id="sign-out" onClick=${signOut}>${t('signOut')}</button>`}
        </nav>
        ${menuOpen.value && html`<div class="menu-back" id="menu-back" onClick=${closeMenu}></div>`}
        <div class="side" inert=${menuOpen.value}>
          <header class="bar-top">
            <button type="button" class="quiet only-small" id="menu-button" aria-label=${t('menu')} aria-expanded=${String(menuOpen.value)} aria-controls="menu"
              onClick=${openMenu}>${icon('menu')}</button>
            <button type="button" class="search-button" id="open-search" aria-label=${t('search')} onClick=${openSearch}>${icon('search')}<span>${t('search')}</span><kbd>/</kbd></button>
            <span class="grow"></span>
            ${ready.value && html`<span class="as-of" id="as-of">${asOf.value !== null ? t('asOf', { time: clock(asOf.value) }) : isReady.value ? '' : t('loading')}</span>${state()}
              <span class="unseen" role="status" id="stream-news">${stream.state === 'lost' ? t('lostNews') : ''}</span>`}
            <button type="button" class="quiet" id="copy-curl" title=${`${t('copyCurl')} (y)`} aria-label=${t('copyCurl')} onClick=${copyView}>${icon('curl')}</button>
            <button type="button" class="quiet" id="zone" title=${t('zoneHint')} onClick=${switchZone}>${t(zone.value)}</button>
            <button type="button" class="quiet" id="theme" title=${t(theme.value === 'dark' ? 'toLight' : 'toDark')}
              aria-label=${t(theme.value === 'dark' ? 'toLight' : 'toDark')} onClick=${switchTheme}>${icon(theme.value === 'dark' ? 'sun' : 'moon')}</button>
            <button type="button" class="quiet" id="language" lang=${language.value === 'en' ? 'zh-CN' : 'en'} onClick=${switchLanguage}>${t('otherLanguage')}</button>
            <button type="button" class="quiet" id="help" title=${`${t('keys')} (?)`} aria-label=${t('keys')} onClick=${showHelp}>?</button>
          </header>
          <main id="main" tabindex="-1" data-view=${view.value?.name ?? ''} data-path=${view.value?.key ?? ''} data-ready=${String(Boolean(problem.value) || (view.value !== null && isReady.value))}>
            ${loadError.value && html`<div class="message error" role="alert" id="load-error">${t('stale', { why: loadError.value() })}</div>`}
            ${problem.value
              ? html`<div class="nothing" id="problem" role="alert"><strong>${problem.value()}</strong>
                ${retry.value && html`<p><button type="button" class="primary" id="again" onClick=${retry.value}>${t('again')}</button></p>`}<p><a href="/">${t('home')}</a></p></div>`
              : view.value && h(view.value.component, { key: view.value.key })}
          </main>
        </div>
        ${h(dialogPlace)}${h(searchPlace)}${h(toastPlace)}
        ${helpOpen.value && keyTable()}
      </div>`;
  },
};
