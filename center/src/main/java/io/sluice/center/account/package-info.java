/** Signing in with local accounts, and the people who manage them. */
@NullMarked
package io.sluice.center.account;

import org.jspecify.annotations.NullMarked;
