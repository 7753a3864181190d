/** The stored accounts, sessions, tokens and one-time links. */
@NullMarked
package io.sluice.center.people;

import org.jspecify.annotations.NullMarked;
