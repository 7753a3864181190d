/** JSON as it is written: on one line, keys in the order given. */
@NullMarked
package io.sluice.rules.json;

import org.jspecify.annotations.NullMarked;
