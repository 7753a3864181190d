/**
 * The data that nodes send about their traffic, on its way to its consumers. It is written to a journal before a node receives the
 * acknowledgement, so a restart of the center loses nothing and counts nothing twice.
 */
@NullMarked
package io.sluice.center.data;

import org.jspecify.annotations.NullMarked;
