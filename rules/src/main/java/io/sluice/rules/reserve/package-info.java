/** Permits that a request has reserved before its real cost is known, and their settlement. */
@NullMarked
package io.sluice.rules.reserve;

import org.jspecify.annotations.NullMarked;
