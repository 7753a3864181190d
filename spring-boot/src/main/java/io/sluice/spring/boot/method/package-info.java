/** Configures limits by annotation. */
@NullMarked
package io.sluice.spring.boot.method;

import org.jspecify.annotations.NullMarked;
