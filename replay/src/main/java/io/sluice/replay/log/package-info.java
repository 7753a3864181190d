/** Reads access logs of many formats as one stream of requests in the order of time. */
@NullMarked
package io.sluice.replay.log;

import org.jspecify.annotations.NullMarked;
