/** Permits that a request has reserved before its real cost is known, and what became of them. */
@NullMarked
package io.sluice.rules.reserve;

import org.jspecify.annotations.NullMarked;
