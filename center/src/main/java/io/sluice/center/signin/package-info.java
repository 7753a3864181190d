/** Signing in, and the security of every request. */
@NullMarked
package io.sluice.center.signin;

import org.jspecify.annotations.NullMarked;
