/** Released versions of the rules, each immutable. */
@NullMarked
package io.sluice.center.version;

import org.jspecify.annotations.NullMarked;
