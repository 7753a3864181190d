/**
 * Limits on outbound calls: interceptors and filters for {@code RestClient}, {@code RestTemplate} and {@code WebClient} that wait
 * until a call is admitted, or refuse it.
 */
@NullMarked
package io.sluice.spring.client;

import org.jspecify.annotations.NullMarked;
