/** Reads the limits that the founding documents put under {@code rate.limit.configs}. */
@NullMarked
package io.sluice.spring.boot.founding;

import org.jspecify.annotations.NullMarked;
