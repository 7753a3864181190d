/** Limits on annotated methods: reads the annotations, asks the rules, and makes or refuses the calls. */
@NullMarked
package io.sluice.spring.method;

import org.jspecify.annotations.NullMarked;
