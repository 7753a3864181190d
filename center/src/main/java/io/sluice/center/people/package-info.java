/** Accounts, sessions, tokens and one-time links, as they are stored. */
@NullMarked
package io.sluice.center.people;

import org.jspecify.annotations.NullMarked;
