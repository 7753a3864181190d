/** Commands that check rule documents without a node or a center. */
@NullMarked
package io.sluice.cli.check;

import org.jspecify.annotations.NullMarked;
