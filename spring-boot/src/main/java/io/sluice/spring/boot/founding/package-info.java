/** Reads the limits under {@code rate.limit.configs}, the format of the founding documents. */
@NullMarked
package io.sluice.spring.boot.founding;

import org.jspecify.annotations.NullMarked;
