/** The data plane process: rules, engines and entry points, wired together. No Spring. */
@NullMarked
package io.sluice.node;

import org.jspecify.annotations.NullMarked;
