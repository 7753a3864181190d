/** What importers share: foreign files and their values, notes, and rules while they are being written. */
@NullMarked
package io.sluice.replay.imports.draft;

import org.jspecify.annotations.NullMarked;
