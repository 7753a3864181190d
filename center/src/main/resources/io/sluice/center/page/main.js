// Chooses the page by its path. All pages have the same document.
import { createApp } from '/assets/vue.js';
import { setUp } from '/assets/set-up.js';
import { signIn } from '/assets/sign-in.js';
import { stepUp } from '/assets/step-up.js';

const pages = { '/set-up': setUp, '/sign-in': signIn, '/step-up': stepUp };

const page = pages[location.pathname] ?? (await import('/assets/console/shell.js')).shell;
createApp(page).mount('#app');
