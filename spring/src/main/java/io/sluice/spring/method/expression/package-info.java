/** Expressions in annotations: they can read the arguments, the caller, the request and the result of a call, and nothing else. */
@NullMarked
package io.sluice.spring.method.expression;

import org.jspecify.annotations.NullMarked;
