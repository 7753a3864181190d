/** Orders to erase what is stored about one subject, and what came of them. */
@NullMarked
package io.sluice.runtime.erasure;

import org.jspecify.annotations.NullMarked;
