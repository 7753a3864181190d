/** What annotations may read of a call: its arguments, the caller and the request, and nothing else. */
@NullMarked
package io.sluice.spring.method.expression;

import org.jspecify.annotations.NullMarked;
