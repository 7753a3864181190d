/** What the filters for servlets and for WebFlux share: what they know of a request, what they ask, and what they answer. */
@NullMarked
package io.sluice.spring.web;

import org.jspecify.annotations.NullMarked;
