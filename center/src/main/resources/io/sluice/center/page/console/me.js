// Who is signed in, and what this person may do. Buttons that somebody may not use are not shown.
import { computed, shallowRef } from '/assets/vue.js';
import { call } from '/assets/api.js';

export const me = shallowRef(null);

export async function loadMe() {
  me.value = await call('GET', '/api/me');
}

const rights = computed(() => new Set(me.value?.rights ?? []));

/** Returns whether the person has a right somewhere, such as edit, release, approve, operate, see_fleet or see_log. */
export function can(right) {
  return rights.value.has(right);
}

/** Returns whether the person sees figures of the whole fleet, not only those of some rules. */
export function seesFleet() {
  return can('see_fleet');
}
