/** The tokens of programs, in the API. */
@NullMarked
package io.sluice.center.token;

import org.jspecify.annotations.NullMarked;
