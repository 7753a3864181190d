// Who is signed in, and what this person may do. Buttons that somebody may not use are not shown.
import { computed, shallowRef } from '/assets/vue.js';
import { call } from '/assets/api.js';

export const me = shallowRef(null);

export async function loadMe() {
  me.value = await call('GET', '/api/me');
}

/** Rights that are of use only over all rules: a role for a tenant or for labels has them in name alone. */
const ONLY_EVERYWHERE = new Set(['see_fleet', 'see_log', 'manage_center', 'reveal']);

const somewhere = computed(() => new Set(me.value?.rights ?? []));
const everywhere = computed(() => new Set(me.value?.everywhere ?? []));

/** Returns whether the person has a right that leads to something, such as edit, release, approve, operate, see_fleet or see_log. */
export function can(right) {
  return ONLY_EVERYWHERE.has(right) ? canEverywhere(right) : somewhere.value.has(right);
}

/** Returns whether the person has a right over all rules, not only over those of a tenant or with a label. */
export function canEverywhere(right) {
  return everywhere.value.has(right);
}

/** Returns whether the person sees figures of the whole fleet, not only those of some rules. */
export function seesFleet() {
  return can('see_fleet');
}
