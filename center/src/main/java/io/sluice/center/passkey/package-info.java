/** Passkeys: how they are stored, registered and used to sign in. */
@NullMarked
package io.sluice.center.passkey;

import org.jspecify.annotations.NullMarked;
