// What a person chose for this browser: colours and the time zone. The language is in texts.js.
import { ref } from '/assets/vue.js';

const THEME = 'sluice.theme';
const ZONE = 'sluice.zone';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** light or dark, whether it was chosen or comes from the system. */
export const theme = ref(document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light'));

/** utc or local. */
export const zone = ref(localStorage.getItem(ZONE) === 'utc' ? 'utc' : 'local');

dark.addEventListener('change', () => {
  if (!localStorage.getItem(THEME)) {
    theme.value = dark.matches ? 'dark' : 'light';
  }
});

export function switchTheme() {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  localStorage.setItem(THEME, theme.value);
  document.documentElement.dataset.theme = theme.value;
}

export function switchZone() {
  zone.value = zone.value === 'utc' ? 'local' : 'utc';
  localStorage.setItem(ZONE, zone.value);
}

// Other tabs follow.
addEventListener('storage', (event) => {
  if (event.key === ZONE) {
    zone.value = event.newValue === 'utc' ? 'utc' : 'local';
  }
  if (event.key === THEME && event.newValue) {
    theme.value = event.newValue;
    document.documentElement.dataset.theme = event.newValue;
  }
});
