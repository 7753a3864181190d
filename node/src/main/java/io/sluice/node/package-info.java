/** The data plane process: rules, engines and front doors, wired together. No Spring. */
@NullMarked
package io.sluice.node;

import org.jspecify.annotations.NullMarked;
