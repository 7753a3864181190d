/** The API that nodes use, and the state of the nodes for people. */
@NullMarked
package io.sluice.center.nodes;

import org.jspecify.annotations.NullMarked;
