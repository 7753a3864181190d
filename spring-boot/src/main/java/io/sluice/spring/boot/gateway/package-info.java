/** Configures limits on the routes of Spring Cloud Gateway. */
@NullMarked
package io.sluice.spring.boot.gateway;

import org.jspecify.annotations.NullMarked;
