/**
 * Calls to others, kept under the limits that they set: interceptors for {@code RestClient}, {@code RestTemplate} and
 * {@code WebClient} that wait for the moment to call, or refuse.
 */
@NullMarked
package io.sluice.spring.client;

import org.jspecify.annotations.NullMarked;
