// Chooses the page by its path. All pages have the same document.
import { createApp } from '/assets/vue.js';
import { account } from '/assets/account.js';
import { retention } from '/assets/retention.js';
import { setUp } from '/assets/set-up.js';
import { signIn } from '/assets/sign-in.js';
import { stepUp } from '/assets/step-up.js';

const pages = { '/set-up': setUp, '/sign-in': signIn, '/step-up': stepUp, '/account': account, '/retention': retention };

createApp(pages[location.pathname] ?? signIn).mount('#app');
