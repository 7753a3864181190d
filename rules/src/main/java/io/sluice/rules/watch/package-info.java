/**
 * Watches files by polling: content is accepted when two polls in a row see the same content; otherwise the last good content
 * stays in force.
 */
@NullMarked
package io.sluice.rules.watch;

import org.jspecify.annotations.NullMarked;
