/** The refusal of a command or question, with everything that its caller needs to know. */
@NullMarked
package io.sluice.center.refusal;

import org.jspecify.annotations.NullMarked;
