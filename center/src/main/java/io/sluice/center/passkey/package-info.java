/** The storage and the registration of passkeys, and signing in with them. */
@NullMarked
package io.sluice.center.passkey;

import org.jspecify.annotations.NullMarked;
