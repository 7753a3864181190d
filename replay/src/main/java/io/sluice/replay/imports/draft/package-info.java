/** The common parts of importers: foreign files and their values, notes, and rules that are being written. */
@NullMarked
package io.sluice.replay.imports.draft;

import org.jspecify.annotations.NullMarked;
