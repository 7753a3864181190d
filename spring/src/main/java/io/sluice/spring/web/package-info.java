/** Code that the filters for servlets and WebFlux share: the view of a request, the decision and the response. */
@NullMarked
package io.sluice.spring.web;

import org.jspecify.annotations.NullMarked;
