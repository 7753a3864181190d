/** The evaluation of a request: asks all matching limits together about the attributes of the request, and returns a ruling. */
@NullMarked
package io.sluice.rules.evaluate;

import org.jspecify.annotations.NullMarked;
