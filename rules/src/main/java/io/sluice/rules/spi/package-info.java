/** Where rules come from. */
@NullMarked
package io.sluice.rules.spi;

import org.jspecify.annotations.NullMarked;
