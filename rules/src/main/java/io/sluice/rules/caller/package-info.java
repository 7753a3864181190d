/** The identity of a caller: the keys of its counts, the hash that stands for it, and the text that people may see. */
@NullMarked
package io.sluice.rules.caller;

import org.jspecify.annotations.NullMarked;
