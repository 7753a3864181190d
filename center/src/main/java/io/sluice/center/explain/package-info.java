/**
 * What the rules in force say about a request that somebody describes or pastes as a curl command. The request is neither stored nor
 * logged.
 */
@NullMarked
package io.sluice.center.explain;

import org.jspecify.annotations.NullMarked;
