/** Rule documents against a running center: what would change, and changing it. */
@NullMarked
package io.sluice.cli.apply;

import org.jspecify.annotations.NullMarked;
