/** Configures limits on outbound calls. */
@NullMarked
package io.sluice.spring.boot.client;

import org.jspecify.annotations.NullMarked;
